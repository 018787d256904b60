/**
 * Text from clients. Lone surrogates become U+FFFD, and "truncated to N characters" counts Unicode code points
 * (decisions 1), so a stored text is valid UTF-8 and never ends in half a character.
 */

export function wellFormed(text: string): string {
  return text.isWellFormed() ? text : text.toWellFormed()
}

/** The first `limit` code points of `text`. */
export function truncate(text: string, limit: number): string {
  if (text.length <= limit) return text
  let end = 0
  for (let points = 0; points < limit && end < text.length; points += 1) {
    end += (text.codePointAt(end) ?? 0) > 0xffff ? 2 : 1
  }
  return text.slice(0, end)
}

/** Whether `text` has more than `limit` code points. */
export function isLongerThan(text: string, limit: number): boolean {
  return text.length > limit && truncate(text, limit).length < text.length
}

export const OWNER_LENGTH_MAX = 128
/** The error of a fact whose identity is malformed. */
export const OWNER_FLAW = 'an identity must have 1 to 128 characters and no space around them'

const STREAM_ID = /^[0-9a-f]{64}$/

/** Whether a text can be the id of a ledger stream: a SHA-256 in lower-case hex. */
export function isStreamId(text: string): boolean {
  return STREAM_ID.test(text)
}

/**
 * An identity stream id from a client or the gateway, trimmed; null unless it has 1 to 128 characters (decisions 3).
 */
export function parseOwner(value: unknown): string | null {
  if (typeof value !== 'string') return null
  const owner = wellFormed(value).trim()
  return owner === '' || isLongerThan(owner, OWNER_LENGTH_MAX) ? null : owner
}

const URL_LENGTH_MAX = 2048

/** RFC 3986 leaves no room for these in a URL; the WHATWG parser would silently drop or rewrite them. */
const ABSOLUTE_HTTP = /^https?:\/\/[^\s\\\p{Cc}]+$/iu

/**
 * Whether the text is an absolute http: or https: URL of at most 2048 characters (decisions 4) without user and
 * password, which would not be sent and which payers could read.
 */
export function isAbsoluteHttpUrl(text: string): boolean {
  if (isLongerThan(text, URL_LENGTH_MAX) || !ABSOLUTE_HTTP.test(text)) return false
  if (!URL.canParse(text)) return false
  const { hostname, username, password } = new URL(text)
  return hostname !== '' && username === '' && password === ''
}
