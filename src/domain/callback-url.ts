import { isLongerThan } from './text.js'

const CALLBACK_URL_LENGTH_MAX = 2048

/** RFC 3986 leaves no room for these in a URL; the WHATWG parser would silently drop or rewrite them. */
const ABSOLUTE_HTTP = /^https?:\/\/[^\s\\\p{Cc}]+$/iu

/**
 * Whether the text is an absolute http: or https: URL of at most 2048 characters (decisions 4) without user and
 * password, which would not be sent and which payers could read.
 */
export function isCallbackUrl(text: string): boolean {
  if (isLongerThan(text, CALLBACK_URL_LENGTH_MAX) || !ABSOLUTE_HTTP.test(text)) return false
  if (!URL.canParse(text)) return false
  const { hostname, username, password } = new URL(text)
  return hostname !== '' && username === '' && password === ''
}
