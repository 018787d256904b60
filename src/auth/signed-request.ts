import { BoundedMap } from '../base/bounded-map.js'
import type { Clock } from '../clock.js'
import { parsePublicKeyHex } from '../crypto/secp256k1.js'
import { type ApiKey, type Authority, authorise, isTimely, type Permission } from '../domain/api-key.js'
import { type Outcome, refuse, succeed } from '../domain/failure.js'
import type { KeyPort } from '../store/keys.js'
import type { Rejection, VerifyLaneName } from '../verify/lanes.js'
import type { VerifyPool } from '../verify/pool.js'
import type { Tarpit } from './tarpit.js'

/** Registered keys that are remembered. */
const REGISTERED_KEYS_MAX = 16_384
/** Longest key header that can be a key: `0x` and 66 digits. */
const KEY_TEXT_LENGTH_MAX = 68

/** The three headers as sent; undefined where absent. */
export interface SignatureHeaders {
  readonly apiKey: string | undefined
  readonly timestamp: string | undefined
  readonly signature: string | undefined
}

/** The headers of a request that may be verified. */
interface Signed {
  /** The key header as sent. */
  readonly keyText: string
  readonly publicKey: Uint8Array
  readonly timestamp: string
  readonly signature: string
}

/** What a route asks of a signed request. */
export interface SignedRoute {
  /** The fixed literal that is signed, e.g. `POST /api/invoices`. */
  readonly routeTag: string
  /** Null when any active key will do. */
  readonly permission: Permission | null
}

/** Who signed a request. */
export interface Signer {
  /** The record as it was when the signature had been verified. */
  readonly key: ApiKey
  /** For the command that acts on the request: the key may be revoked while the command waits for its turn. */
  readonly authority: Authority
  /** As signed: Unix milliseconds in decimal digits. */
  readonly timestamp: string
}

/** The parts of a request that authentication reads. */
export interface SignedRequest {
  readonly body: Uint8Array
  header(name: string): string | undefined
  remoteAddress(): string
}

/** The client that sent a request, as limits count clients. */
export type SenderOf = (request: SignedRequest) => { readonly key: string }

export function readSignatureHeaders(request: Pick<SignedRequest, 'header'>): SignatureHeaders {
  return {
    apiKey: request.header('x-service-api-key'),
    timestamp: request.header('x-service-timestamp'),
    signature: request.header('x-service-signature'),
  }
}

/** Whether any of the three headers is present. With one or two, a request is signed but incomplete. */
export function isSigned(headers: SignatureHeaders): boolean {
  return headers.apiKey !== undefined || headers.timestamp !== undefined || headers.signature !== undefined
}

/**
 * Authenticates signed requests. The checks, and so the failures, come in this order: headers, timestamp, signature,
 * known key, revoked, expired, permission (decisions 2).
 */
export class SignedRequests {
  /**
   * Public keys that have a record, by their text as clients spell it. A record is never removed (decisions 3), so a key stays
   * registered; whether it may still be used is in its record.
   */
  private readonly registered = new BoundedMap<string, Uint8Array>(REGISTERED_KEYS_MAX)

  constructor(
    private readonly keys: Pick<KeyPort, 'find'>,
    private readonly pool: VerifyPool,
    private readonly clock: Clock,
    private readonly senderOf: SenderOf,
    private readonly tarpit: Tarpit,
    /** An active key of this owner has signed a request that is dated so, Unix ms. */
    private readonly onSigned?: (owner: string, timestampMs: number) => void,
  ) {}

  /**
   * The signer of the body, by the key record as it is after the verification. `overloaded` when the lane is full; a client
   * that fills it gets the answer after a delay of one second (`Rejection`).
   */
  async authenticate(headers: SignatureHeaders, request: SignedRequest, route: SignedRoute): Promise<Outcome<Signer>> {
    const read = this.read(headers)
    if (!read.ok) return read
    const { keyText, publicKey, timestamp } = read.value
    // Registration only chooses the lane here; an unknown key is answered after its signature was verified.
    const isRegistered = this.registered.get(keyText) !== undefined || (await this.lookUp(keyText, publicKey))
    const verdict = this.verify(read.value, request, route.routeTag, isRegistered ? 'registered' : 'unregistered')
    if (!(verdict instanceof Promise)) return this.reject(verdict, request)
    if (!(await verdict)) return refuse('invalid_signature')
    const { permission } = route
    const found = this.keys.find(publicKey)
    const key = authorise(found instanceof Promise ? await found : found, permission, this.clock.now())
    if (!key.ok) return key
    this.onSigned?.(key.value.owner, Number(timestamp))
    return succeed({ key: key.value, authority: { keyId: key.value.id, permission }, timestamp })
  }

  /**
   * The text, as sent, of a key that signed the body and need not be registered: an identity's own. The request waits in the
   * lane of unregistered keys, since anyone can make such requests.
   */
  async authenticateIdentity(
    headers: SignatureHeaders,
    request: SignedRequest,
    routeTag: string,
  ): Promise<Outcome<string>> {
    const read = this.read(headers)
    if (!read.ok) return read
    const verdict = this.verify(read.value, request, routeTag, 'unregistered')
    if (!(verdict instanceof Promise)) return this.reject(verdict, request)
    return (await verdict) ? succeed(read.value.keyText) : refuse('invalid_signature')
  }

  /** Checks what needs no curve: three headers, a timely timestamp, a key of the right form. */
  private read({ apiKey, timestamp, signature }: SignatureHeaders): Outcome<Signed> {
    if (!apiKey || !timestamp || !signature) return refuse('missing_auth_headers')
    if (!isTimely(timestamp, this.clock.now())) return refuse('invalid_timestamp')
    const publicKey = this.registered.get(apiKey) ?? parseKeyText(apiKey)
    if (publicKey === null) return refuse('invalid_signature')
    return succeed({ keyText: apiKey, publicKey, timestamp, signature })
  }

  private async lookUp(keyText: string, publicKey: Uint8Array): Promise<boolean> {
    const isRegistered = (await this.keys.find(publicKey)) !== undefined
    if (isRegistered) this.registered.set(keyText, publicKey)
    return isRegistered
  }

  private verify(
    { publicKey, timestamp, signature }: Signed,
    request: SignedRequest,
    routeTag: string,
    lane: VerifyLaneName,
  ): ReturnType<VerifyPool['verify']> {
    const sender = () => this.senderOf(request).key
    return this.pool.verify({ publicKey, signature, routeTag, timestamp, body: request.body }, lane, sender)
  }

  private async reject(rejection: Rejection, { body }: SignedRequest): Promise<Outcome<never>> {
    if (rejection === 'crowded_out') await this.tarpit.hold(body.length)
    return refuse('overloaded')
  }
}

function parseKeyText(text: string): Uint8Array | null {
  return text.length > KEY_TEXT_LENGTH_MAX ? null : parsePublicKeyHex(text)
}
