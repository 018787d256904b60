import { isIP } from 'node:net'
import ipaddr from 'ipaddr.js'
import { BoundedMap } from '../../base/bounded-map.js'
import type { RequestHead } from '../server.js'

/** Bits of an IPv6 address that identify one customer of a network (RFC 6177), who can vary the rest. */
const CLIENT_PREFIX_BITS = 64

/** Hops that are read from `X-Forwarded-For`; the rest is ignored. */
const FORWARDED_HOPS_MAX = 32

const REMEMBERED_MAX = 1024

type Address = ipaddr.IPv4 | ipaddr.IPv6

/** The client that a limit counts. */
export interface Client {
  /** The IPv4 address, or the IPv6 network of 64 bits; empty once the connection is closed. */
  readonly key: string
  readonly isLoopback: boolean
}

type AddressedHead = Pick<RequestHead, 'header' | 'remoteAddress'>

export type ClientOf = (head: AddressedHead) => Client

/**
 * Finds the client of a request: the peer, unless that is one of `trustedProxies` (networks in CIDR notation). In that
 * case `X-Forwarded-For` is read from its end, where the nearest proxy writes, and the first address that is not a
 * trusted proxy is the client's. The client itself can write what precedes it, so that is never believed.
 */
export function clientReader(trustedProxies: readonly string[]): ClientOf {
  const addressOf = addressReader(trustedProxies)
  const read: ClientOf = (head) => {
    const address = addressOf(head)
    return address === null ? { key: '', isLoopback: false } : clientAt(address)
  }
  return trustedProxies.length > 0 ? read : remembering(read)
}

/** The whole address of that client as text; empty once the connection is closed. */
export function addressTextReader(trustedProxies: readonly string[]): (head: AddressedHead) => string {
  const addressOf = addressReader(trustedProxies)
  return (head) => addressOf(head)?.toString() ?? ''
}

function addressReader(trustedProxies: readonly string[]): (head: AddressedHead) => Address | null {
  const isProxied = trustedProxies.length > 0
  const isTrusted = trustOf(trustedProxies)
  return (head) => {
    const peer = parseAddress(head.remoteAddress())
    if (peer === null || !isProxied || !isTrusted(peer)) return peer
    return forwardedFor(head.header('x-forwarded-for'), peer, isTrusted)
  }
}

export function trustedPeer(trustedProxies: readonly string[]): (head: Pick<RequestHead, 'remoteAddress'>) => boolean {
  const isTrusted = trustOf(trustedProxies)
  return (head) => {
    const peer = parseAddress(head.remoteAddress())
    return peer !== null && isTrusted(peer)
  }
}

/** The client that a connection counts for, by the peer's address; null for one of `trustedProxies`. */
export function connectionClient(trustedProxies: readonly string[]): (address: string) => string | null {
  const isTrusted = trustOf(trustedProxies)
  return (text) => {
    const address = parseAddress(text)
    if (address === null) return ''
    return isTrusted(address) ? null : clientAt(address).key
  }
}

function trustOf(trustedProxies: readonly string[]): (address: Address) => boolean {
  const networks = trustedProxies.map((network) => ipaddr.parseCIDR(network))
  return (address) =>
    networks.some(([network, bits]) => address.kind() === network.kind() && address.match(network, bits))
}

/** Remembers the clients of peers, because most requests come from few peers. */
function remembering(read: ClientOf): ClientOf {
  const known = new BoundedMap<string, Client>(REMEMBERED_MAX)
  return (head) => {
    const address = head.remoteAddress()
    let client = known.get(address)
    if (client === undefined) {
      client = read(head)
      known.set(address, client)
    }
    return client
  }
}

/** The nearest untrusted address; if there is none, or it is malformed, the furthest trusted one before it. */
function forwardedFor(header: string | undefined, peer: Address, isTrusted: (address: Address) => boolean): Address {
  let nearest = peer
  const hops = header?.split(',').slice(-FORWARDED_HOPS_MAX) ?? []
  for (const hop of hops.reverse()) {
    const address = parseHop(hop.trim())
    if (address === null) return nearest
    nearest = address
    if (!isTrusted(address)) return nearest
  }
  return nearest
}

/** Reads `192.0.2.1`, `2001:db8::1` and, as some proxies write, `192.0.2.1:80`, `[2001:db8::1]`, `[2001:db8::1]:80`. */
function parseHop(text: string): Address | null {
  const bracketed = /^\[([^\]]*)\](?::\d+)?$/.exec(text)?.[1]
  const withPort = /^([\d.]+):\d+$/.exec(text)?.[1]
  return parseAddress(bracketed ?? withPort ?? text)
}

/** `isIP` first, because `ipaddr.js` also reads octal, hexadecimal and shortened IPv4 addresses. */
function parseAddress(text: string): Address | null {
  return isIP(text) === 0 ? null : ipaddr.process(text)
}

function clientAt(address: Address): Client {
  const isLoopback = address.range() === 'loopback'
  if (address.kind() === 'ipv4') return { key: address.toString(), isLoopback }
  const network = address.toByteArray().slice(0, CLIENT_PREFIX_BITS / 8)
  return { key: `${Buffer.from(network).toString('hex')}/${CLIENT_PREFIX_BITS}`, isLoopback }
}
