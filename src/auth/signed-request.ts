import type { Clock } from '../clock.js'
import { parsePublicKeyHex } from '../crypto/secp256k1.js'
import type { VerifyPool } from '../crypto/verify-pool.js'
import { type ApiKey, authorise, isTimely, type Permission } from '../domain/api-key.js'
import { type Outcome, refuse } from '../domain/failure.js'
import type { Store } from '../store/store.js'

export const API_KEY_HEADER = 'x-service-api-key'
export const TIMESTAMP_HEADER = 'x-service-timestamp'
export const SIGNATURE_HEADER = 'x-service-signature'

/** Longest key header that can be a key: `0x` and 66 digits. */
const KEY_TEXT_LENGTH_MAX = 68

/** The three headers as sent; undefined where absent. */
export interface SignatureHeaders {
  readonly apiKey: string | undefined
  readonly timestamp: string | undefined
  readonly signature: string | undefined
}

/** What a route asks of a signed request. */
export interface SignedRoute {
  /** The fixed literal that is signed, e.g. `POST /api/invoices`. */
  readonly routeTag: string
  readonly permission: Permission
}

/** Without any of the three headers a request takes the unsigned path; with one or two it is an incomplete signed one. */
export function isSigned(headers: SignatureHeaders): boolean {
  return headers.apiKey !== undefined || headers.timestamp !== undefined || headers.signature !== undefined
}

/**
 * Finds out who signed a request. The checks, and so the failures, come in this order: headers, timestamp, signature,
 * known key, revoked, expired, permission (decisions 2).
 */
export class SignedRequests {
  constructor(
    private readonly store: Store,
    private readonly pool: VerifyPool,
    private readonly clock: Clock,
  ) {}

  /** The key record that signed `body`, as it is after the verification; `overloaded` when the lane is full. */
  async authenticate(headers: SignatureHeaders, body: Uint8Array, route: SignedRoute): Promise<Outcome<ApiKey>> {
    const { apiKey, timestamp, signature } = headers
    if (!apiKey || !timestamp || !signature) return refuse('missing_auth_headers')
    if (!isTimely(timestamp, this.clock.now())) return refuse('invalid_timestamp')
    const publicKey = apiKey.length > KEY_TEXT_LENGTH_MAX ? null : parsePublicKeyHex(apiKey)
    if (publicKey === null) return refuse('invalid_signature')
    // Whether the key is registered only chooses the lane here; the answer to the client comes after the signature.
    const lane = (await this.store.apiKey(publicKey)) === undefined ? 'unregistered' : 'registered'
    const verdict = this.pool.verify({ publicKey, signature, routeTag: route.routeTag, timestamp, body }, lane)
    if (verdict === null) return refuse('overloaded')
    if (!(await verdict)) return refuse('invalid_signature')
    return authorise(await this.store.apiKey(publicKey), route.permission, this.clock.now())
  }
}
