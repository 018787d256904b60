import ipaddr from 'ipaddr.js'

/** The usual text of an address as an engine gives it: IPv4 dotted also when mapped into IPv6, IPv6 as in RFC 5952. */
export function peerAddress(text: string): string {
  return ipaddr.isValid(text) ? ipaddr.process(text).toString() : ''
}
