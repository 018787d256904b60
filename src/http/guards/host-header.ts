import ipaddr from 'ipaddr.js'
import { BoundedMap } from '../../base/bounded-map.js'
import type { RequestHead } from '../server.js'

/** A name or an IPv4 address, or an IPv6 address in brackets; then a port. */
const HOST = /^(?:\[([0-9A-Fa-f:.]+)\]|([^\s[\]:/?#@,]+))(?::\d{1,5})?$/

/** Host headers that are remembered. */
const REMEMBERED_MAX = 64

/** Whether the service answers to the `Host` header of a request. */
export type AcceptsHost = (head: RequestHead) => boolean

export interface HostSettings {
  /** If absent, clients use the address that the service listens on. */
  readonly publicUrl: string | undefined
  /** Whether the peer of a request is a trusted proxy, which may forward any name. */
  readonly isProxied: (head: RequestHead) => boolean
}

/**
 * The names that a listener on loopback answers to (decisions 10): those of loopback and of the public URL. If an
 * attacker points a page's name at this machine (DNS rebinding), a browser treats page and service as one origin, and
 * only the `Host` header tells them apart. A request without the header does not come from a browser.
 */
export function loopbackHosts({ publicUrl, isProxied }: HostSettings): AcceptsHost {
  const publicName = publicUrl === undefined ? null : bare(new URL(publicUrl).hostname)
  const known = new BoundedMap<string, boolean>(REMEMBERED_MAX)
  return (head) => {
    const host = head.header('host')
    if (host === undefined) return true
    let isAccepted = known.get(host)
    if (isAccepted === undefined) {
      const name = hostName(host)
      isAccepted = name !== null && (isLoopbackName(name) || name === publicName)
      known.set(host, isAccepted)
    }
    return isAccepted || (publicName !== null && isProxied(head))
  }
}

/** `localhost`, 127.0.0.0/8 and ::1, in the usual spellings; browsers send no other. */
export function isLoopbackName(name: string): boolean {
  if (name === 'localhost') return true
  const address = bare(name)
  return (
    (ipaddr.IPv6.isValid(address) || ipaddr.IPv4.isValidFourPartDecimal(address)) &&
    ipaddr.process(address).range() === 'loopback'
  )
}

/** The name in a `Host` header, in lower case and without brackets; null if it is malformed. */
function hostName(host: string): string | null {
  const match = HOST.exec(host)
  return match === null ? null : (match[1] ?? match[2] ?? '').toLowerCase()
}

function bare(hostname: string): string {
  return hostname.replace(/^\[|\]$/g, '').toLowerCase()
}
