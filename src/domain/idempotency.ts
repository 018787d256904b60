/** Characters of a key (decisions 4). */
const KEY_LENGTH_MAX = 255
/** How long a key is kept at the least (decisions 4). */
export const IDEMPOTENCY_KEPT_MS = 24 * 60 * 60 * 1000

/** RFC 8941, 3.3.3: a quoted string of printable ASCII in which only the quote and the backslash are escaped. */
const QUOTED = /^"((?:[\x20-\x21\x23-\x5b\x5d-\x7e]|\\["\\])*)"$/
/** Visible ASCII without a quote in front. */
const BARE = /^[\x21\x23-\x7e][\x21-\x7e]*$/

/**
 * The key in an `Idempotency-Key` header: a Structured-Fields quoted string, or bare; 1–255 characters. The quotes are
 * no part of it, so both spellings of a key are the same key. Null when it is neither.
 */
export function parseIdempotencyKey(header: string): string | null {
  const quoted = QUOTED.exec(header)
  const key = quoted === null ? (BARE.test(header) ? header : '') : (quoted[1] ?? '').replace(/\\(["\\])/g, '$1')
  return key === '' || key.length > KEY_LENGTH_MAX ? null : key
}

/**
 * How long the timestamp of a signed request is past at the least when its repetition is no longer known: it is refused for
 * its age five minutes before.
 */
export const SIGNED_REQUEST_KEPT_MS = 10 * 60 * 1000

/** A signed request that must not create twice: whoever saw it can send it again while its timestamp is young. */
export interface SignedCreation {
  /** Unix milliseconds, as signed. */
  readonly timestampMs: number
  /** 32 bytes that stand for the API key, the timestamp and the body as signed. */
  readonly digest: Uint8Array
}

/** A request that may be repeated without being done twice. */
export interface IdempotentRequest {
  /** 32 bytes that stand for who asks, the route and the key. */
  readonly scope: Uint8Array
  /** 32 bytes that stand for the body as sent. */
  readonly bodyHash: Uint8Array
}
