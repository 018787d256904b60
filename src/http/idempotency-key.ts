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
