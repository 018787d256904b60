import { isIP } from 'node:net'
import ipaddr from 'ipaddr.js'

type Address = ipaddr.IPv4 | ipaddr.IPv6
type Range = [Address, number]

/**
 * IPv4 networks without public receivers: the IANA special-purpose registry (RFC 6890), in whole blocks even where single
 * addresses are global, multicast, and the public addresses at which clouds serve their own machines.
 */
const FORBIDDEN_V4 = [
  '0.0.0.0/8', // this network
  '10.0.0.0/8', // private
  '100.64.0.0/10', // carrier-grade NAT
  '127.0.0.0/8', // loopback
  '168.63.129.16/32', // Azure's WireServer, the same address in every region
  '169.254.0.0/16', // link-local, where clouds keep their metadata
  '172.16.0.0/12', // private
  '192.0.0.0/24', // protocol assignments
  '192.0.2.0/24', // documentation
  '192.31.196.0/24', // AS112
  '192.52.193.0/24', // automatic multicast tunneling
  '192.88.99.0/24', // 6to4 relays
  '192.168.0.0/16', // private
  '192.175.48.0/24', // AS112
  '198.18.0.0/15', // benchmarks
  '198.51.100.0/24', // documentation
  '203.0.113.0/24', // documentation
  '224.0.0.0/4', // multicast
  '240.0.0.0/4', // reserved, and broadcast
].map(readCidr)

/** Public IPv6 addresses (RFC 4291, 2.4, and IANA). Everything else is forbidden. */
const PUBLIC_V6 = readCidr('2000::/3')

/** The exceptions inside it. */
const FORBIDDEN_V6 = [
  '2001::/23', // protocol assignments, Teredo among them
  '2001:db8::/32', // documentation
  '2620:4f:8000::/48', // AS112
  '3fff::/20', // documentation
].map(readCidr)

/** IPv6 networks whose addresses stand for an IPv4 address, and the byte at which that begins. */
const EMBEDDINGS: readonly { readonly range: Range; readonly at: number }[] = [
  { range: readCidr('::ffff:0:0/96'), at: 12 }, // IPv4-mapped
  { range: readCidr('64:ff9b::/96'), at: 12 }, // NAT64
  { range: readCidr('2002::/16'), at: 2 }, // 6to4
]

/** Interface identifiers of ISATAP (RFC 5214, 6.1), under any prefix: bytes 8 to 11, before an IPv4 address. */
const ISATAP_IDENTIFIERS = ['00005efe', '02005efe']

const IPV4_BYTES = 4

export interface AddressGuardOptions {
  /** For a service that only its own machine can reach. */
  readonly allowAll: boolean
  /** Networks in CIDR notation that are allowed although they are not public. */
  readonly allow: readonly string[]
}

/**
 * Decides which addresses webhooks may be sent to, so that no callback URL reaches the network of this machine (decisions
 * 7). An IPv6 address that stands for an IPv4 one is judged as that one; one of ISATAP is judged together with it.
 */
export class AddressGuard {
  private readonly allowAll: boolean
  private readonly allowed: readonly Range[]

  /** Throws when an entry of `allow` is not a network. */
  constructor({ allowAll, allow }: AddressGuardOptions) {
    this.allowAll = allowAll
    this.allowed = allow.map(readCidr)
  }

  /** Whether a webhook may be sent to the address, in textual form. False for any text that is not an address. */
  isAllowed(text: string): boolean {
    if (isIP(text) === 0) return false
    if (this.allowAll) return true
    const address = ipaddr.parse(text)
    if (isWithin(address, this.allowed)) return true
    return judgedFor(address).every((judged) => isPublic(judged) || isWithin(judged, this.allowed))
  }
}

function isPublic(address: Address): boolean {
  if (address.kind() === 'ipv4') return !isWithin(address, FORBIDDEN_V4)
  return isWithin(address, [PUBLIC_V6]) && !isWithin(address, FORBIDDEN_V6)
}

function judgedFor(address: Address): readonly Address[] {
  const bytes = address.toByteArray()
  const v4At = (at: number) => ipaddr.fromByteArray(bytes.slice(at, at + IPV4_BYTES))
  const embedding = EMBEDDINGS.find(({ range }) => isWithin(address, [range]))
  const judged = embedding === undefined ? address : v4At(embedding.at)
  const isIsatap = ISATAP_IDENTIFIERS.includes(Buffer.from(bytes.slice(8, 12)).toString('hex'))
  return isIsatap ? [judged, v4At(12)] : [judged]
}

function isWithin(address: Address, ranges: readonly Range[]): boolean {
  return ranges.some(([network, bits]) => network.kind() === address.kind() && address.match(network, bits))
}

function readCidr(text: string): Range {
  return ipaddr.parseCIDR(text)
}
