import { createHash } from 'node:crypto'
import type { ApiKey } from '../domain/api-key.js'
import { type Outcome, refuse, succeed } from '../domain/failure.js'
import type { IdempotentRequest } from '../domain/idempotency.js'

/** Maximum length of a key in characters (decisions 4). */
const KEY_LENGTH_MAX = 255
/** RFC 8941, 3.3.3: a quoted string of printable ASCII in which only the quote and the backslash are escaped. */
const QUOTED = /^"((?:[\x20-\x21\x23-\x5b\x5d-\x7e]|\\["\\])*)"$/
/** Visible ASCII that does not begin with a quote. */
const BARE = /^[\x21\x23-\x7e][\x21-\x7e]*$/

/**
 * Reads the key from an `Idempotency-Key` header: a Structured Fields string or a bare key of 1 to 255 characters. The
 * quotes are not part of the key, so both spellings name the same key. Null if the header is malformed.
 */
export function parseIdempotencyKey(header: string): string | null {
  const quoted = QUOTED.exec(header)
  const key = quoted === null ? (BARE.test(header) ? header : '') : (quoted[1] ?? '').replace(/\\(["\\])/g, '$1')
  return key === '' || key.length > KEY_LENGTH_MAX ? null : key
}

/** A key belongs to its route, and to the API key that signed the request, or to the owner on the unsigned path (decisions 4). */
export function readIdempotency(
  header: string,
  signer: ApiKey | null,
  owner: string,
  body: Uint8Array,
  routeTag: 'POST /api/invoices' | 'POST /api/orders',
): Outcome<IdempotentRequest> {
  const key = parseIdempotencyKey(header)
  if (key === null) return refuse('invalid_idempotency_key')
  const who = signer === null ? ['owner', owner] : ['api key', signer.id]
  // JSON keeps the parts apart, whatever they contain.
  const scope = sha256(JSON.stringify([...who, routeTag, key]))
  return succeed({ scope, bodyHash: sha256(body) })
}

function sha256(data: string | Uint8Array): Buffer {
  return createHash('sha256').update(data).digest()
}

/** Creations in progress, by the scope of their key. A second one with the same key is rejected until the first ends. */
export class InProgress {
  private readonly scopes = new Set<string>()

  /** Returns null, and does not run `work`, while other work of the same scope runs. */
  async run<T>(scope: Uint8Array, work: () => Promise<T>): Promise<T | null> {
    const text = Buffer.from(scope).toString('base64')
    if (this.scopes.has(text)) return null
    this.scopes.add(text)
    try {
      return await work()
    } finally {
      this.scopes.delete(text)
    }
  }
}
