import { isIP } from 'node:net'
import ipaddr from 'ipaddr.js'
import { parseDatabaseAddress } from '../base/database-address.js'

/** The longest host name in its textual form (RFC 1035, 2.3.4, without the length octets). */
const HOST_NAME_LIMIT_CHARACTERS = 253

const HOST_LABEL = /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/i

/**
 * True for an IPv4 or IPv6 address (without brackets) and for a host name of RFC 1123. A name whose last label is a
 * number is none: resolvers read `127.1` and `300.0.0.1` as addresses, each in its own way.
 */
export function isHost(text: string): boolean {
  if (isIP(text) !== 0) return true
  if (text.length > HOST_NAME_LIMIT_CHARACTERS) return false
  const labels = text.split('.')
  return labels.every((label) => HOST_LABEL.test(label)) && !/^\d+$/.test(labels.at(-1) ?? '')
}

/** True for a host name of RFC 1123. */
export function isHostName(text: string): boolean {
  return isHost(text) && isIP(text) === 0
}

/**
 * True for an absolute http: or https: URL to which paths can be appended: no query, no fragment, no credentials. The
 * WHATWG parser repairs much (blanks, backslashes, a missing `//`); a text that it would have to repair is rejected.
 */
export function isBaseUrl(text: string): boolean {
  return /^https?:\/\/[^\s\\?#@]+$/i.test(text) && URL.canParse(text)
}

export function isPath(text: string): boolean {
  return text !== '' && !text.includes('\0')
}

/** `lmdb`, or the URL of a database. */
export function isStore(text: string): boolean {
  return text === 'lmdb' || parseDatabaseAddress(text) !== undefined
}

/** Makes the check of a list from the check of an entry. */
export function each(isValid: (entry: string) => boolean): (entries: readonly string[]) => boolean {
  return (entries) => entries.every(isValid)
}

/** True for `*` alone, or for a list in which every entry is an origin as browsers send it: `https://shop.example`. */
export function areOrigins(list: readonly string[]): boolean {
  return (list.length === 1 && list[0] === '*') || list.every(isOrigin)
}

/** A host with a star parses, but no page would have that origin: origins are compared, not matched. */
export function isOrigin(text: string): boolean {
  return isBaseUrl(text) && !text.includes('*') && new URL(text).origin === text
}

/**
 * True for an IPv4 or IPv6 network in CIDR notation. The address is checked first, because `ipaddr.js` also reads
 * octal, hexadecimal and shortened IPv4 addresses, which people do not read alike.
 */
export function isCidr(text: string): boolean {
  const [address, prefix, ...rest] = text.split('/')
  if (address === undefined || prefix === undefined || rest.length > 0) return false
  return isIP(address) !== 0 && /^(0|[1-9]\d{0,2})$/.test(prefix) && ipaddr.isValidCIDR(text)
}

/** True for a contract of the ledger with the role of its transactions: `onboard=shop/3f2a`. */
export function isFollowedContract(text: string): boolean {
  return /^(onboard|assign|replace)=[^/=,\s]+\/[^/=,@\s]+$/.test(text)
}

export function isEvmAddress(text: string): boolean {
  return /^0x[0-9a-fA-F]{40}$/.test(text)
}

/** Checks the form only. The checksum is checked when the reader is built. */
export function isTronAddress(text: string): boolean {
  return /^T[1-9A-HJ-NP-Za-km-z]{33}$/.test(text)
}
