import { isHost, isOrigin } from './checks.js'

export const PAGE_NAME_LENGTH_LIMIT = 60
const URL_LENGTH_LIMIT = 2048

/** True for a name that has something to show on one line. */
export function isPageName(text: string): boolean {
  return text.trim() !== '' && [...text].length <= PAGE_NAME_LENGTH_LIMIT && !/\p{Cc}/u.test(text)
}

export function isHexColour(text: string): boolean {
  return /^#[0-9a-f]{6}$/i.test(text)
}

/** True for an https URL, and for an http URL on this machine, without credentials. Scripts have URLs too, and are none of these. */
export function isReturnUrl(text: string): boolean {
  if (!isWebUrl(text)) return false
  const { protocol, hostname } = new URL(text)
  return protocol === 'https:' || /^(localhost|127\.[0-9.]+|\[::1\])$/.test(hostname)
}

/** True for what a payer can ask at: an e-mail address, a telephone number, or a page, as a URL. */
export function isContact(text: string): boolean {
  const address = /^mailto:[\w.+-]{1,64}@([^@]+)$/.exec(text)
  if (address !== null) return isHost(address[1] ?? '')
  return /^tel:\+?[0-9][0-9.()-]{1,30}$/.test(text) || (text.startsWith('https:') && isReturnUrl(text))
}

/**
 * True for an origin with a host name of DNS or an IPv4 address. The origins stand in a header, in which `;` and `,` end
 * them, and URLs may have both in their host. Policies know no other hosts (CSP 3, 2.3.1).
 */
export function isFrameAncestor(text: string): boolean {
  return isOrigin(text) && isHost(new URL(text).hostname)
}

/** The WHATWG parser repairs much; a text that it would have to repair is rejected. */
function isWebUrl(text: string): boolean {
  if (text.length > URL_LENGTH_LIMIT || !/^https?:\/\/[^/\s\\\p{C}][^\s\\\p{C}]*$/iu.test(text)) return false
  const url = URL.canParse(text) ? new URL(text) : null
  return url !== null && url.username === '' && url.password === ''
}
