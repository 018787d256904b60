import ipaddr from 'ipaddr.js'
import { BoundedMap } from '../../base/bounded-map.js'
import type { RequestHead } from '../server.js'

/** A name or an IPv4 address, or an IPv6 address in brackets; then a port. */
const HOST = /^(?:\[([0-9A-Fa-f:.]+)\]|([^\s[\]:/?#@,]+))(?::\d{1,5})?$/

/** Host headers that are remembered. */
const REMEMBERED_MAX = 64

/** Whether a `Host` header is one that the service answers to. */
export type AcceptsHost = (head: RequestHead) => boolean

export interface HostSettings {
  /** Absent: clients use the address that is listened on. */
  readonly publicUrl: string | undefined
  /** Whether the peer of a request is a trusted proxy, which may pass on any name. */
  readonly isProxied: (head: RequestHead) => boolean
}

/**
 * The names under which a listener on loopback is asked (decisions 10): loopback's own, and that of the public URL. A page
 * whose name was pointed at this machine (DNS rebinding) is one origin with the service to a browser, and only the `Host`
 * header tells it apart. A request without the header comes from no browser.
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

/** `localhost`, 127.0.0.0/8 and ::1. Only the usual spellings of addresses: browsers send no other. */
export function isLoopbackName(name: string): boolean {
  if (name === 'localhost') return true
  const address = bare(name)
  return (
    (ipaddr.IPv6.isValid(address) || ipaddr.IPv4.isValidFourPartDecimal(address)) &&
    ipaddr.process(address).range() === 'loopback'
  )
}

/** The name in a `Host` header, in lower case and without brackets; null when it is none. */
function hostName(host: string): string | null {
  const match = HOST.exec(host)
  return match === null ? null : (match[1] ?? match[2] ?? '').toLowerCase()
}

function bare(hostname: string): string {
  return hostname.replace(/^\[|\]$/g, '').toLowerCase()
}
