/*
 * The blocks of the IANA IPv4 and IPv6 special-purpose address registries (RFC 6890 and what was registered since),
 * with multicast (RFC 5771, RFC 4291) and the retired site-local block. First and last address of each.
 */

export const SPECIAL_V4: readonly (readonly [first: string, last: string, name: string])[] = [
  ['0.0.0.0', '0.255.255.255', 'this network'],
  ['10.0.0.0', '10.255.255.255', 'private use'],
  ['100.64.0.0', '100.127.255.255', 'shared address space'],
  ['127.0.0.0', '127.255.255.255', 'loopback'],
  ['127.0.0.1', '127.0.0.1', 'loopback, the usual one'],
  ['169.254.0.0', '169.254.255.255', 'link local'],
  ['169.254.169.254', '169.254.169.254', 'link local, metadata of clouds'],
  ['172.16.0.0', '172.31.255.255', 'private use'],
  ['192.0.0.0', '192.0.0.255', 'IETF protocol assignments'],
  ['192.0.0.0', '192.0.0.7', 'IPv4 service continuity prefix'],
  ['192.0.0.8', '192.0.0.8', 'IPv4 dummy address'],
  ['192.0.0.9', '192.0.0.9', 'port control protocol anycast'],
  ['192.0.0.10', '192.0.0.10', 'traversal using relays around NAT anycast'],
  ['192.0.0.170', '192.0.0.171', 'NAT64/DNS64 discovery'],
  ['192.0.2.0', '192.0.2.255', 'documentation'],
  ['192.31.196.0', '192.31.196.255', 'AS112-v4'],
  ['192.52.193.0', '192.52.193.255', 'AMT'],
  ['192.88.99.0', '192.88.99.255', '6to4 relay anycast'],
  ['192.88.99.2', '192.88.99.2', '6a44 relay anycast'],
  ['192.168.0.0', '192.168.255.255', 'private use'],
  ['192.175.48.0', '192.175.48.255', 'direct delegation AS112 service'],
  ['198.18.0.0', '198.19.255.255', 'benchmarking'],
  ['198.51.100.0', '198.51.100.255', 'documentation'],
  ['203.0.113.0', '203.0.113.255', 'documentation'],
  ['224.0.0.0', '239.255.255.255', 'multicast'],
  ['240.0.0.0', '255.255.255.255', 'reserved, limited broadcast'],
]

export const SPECIAL_V6: readonly (readonly [first: string, last: string, name: string])[] = [
  ['::', '::', 'unspecified'],
  ['::1', '::1', 'loopback'],
  ['::ffff:127.0.0.1', '::ffff:10.255.255.255', 'IPv4-mapped'],
  ['64:ff9b::7f00:1', '64:ff9b::a00:1', 'IPv4-IPv6 translation, of special IPv4'],
  ['64:ff9b:1::', '64:ff9b:1:ffff:ffff:ffff:ffff:ffff', 'IPv4-IPv6 translation, local'],
  ['100::', '100::ffff:ffff:ffff:ffff', 'discard only'],
  ['100:0:0:1::', '100:0:0:1:ffff:ffff:ffff:ffff', 'dummy prefix'],
  ['2001::', '2001:1ff:ffff:ffff:ffff:ffff:ffff:ffff', 'IETF protocol assignments'],
  ['2001::', '2001:0:ffff:ffff:ffff:ffff:ffff:ffff', 'Teredo'],
  ['2001:1::1', '2001:1::3', 'anycast of PCP, TURN, and DNS-SD'],
  ['2001:2::', '2001:2:0:ffff:ffff:ffff:ffff:ffff', 'benchmarking'],
  ['2001:3::', '2001:3:ffff:ffff:ffff:ffff:ffff:ffff', 'AMT'],
  ['2001:4:112::', '2001:4:112:ffff:ffff:ffff:ffff:ffff', 'AS112-v6'],
  ['2001:10::', '2001:1f:ffff:ffff:ffff:ffff:ffff:ffff', 'ORCHID, deprecated'],
  ['2001:20::', '2001:2f:ffff:ffff:ffff:ffff:ffff:ffff', 'ORCHIDv2'],
  ['2001:30::', '2001:3f:ffff:ffff:ffff:ffff:ffff:ffff', 'drone remote identification'],
  ['2001:db8::', '2001:db8:ffff:ffff:ffff:ffff:ffff:ffff', 'documentation'],
  ['2002:7f00:1::', '2002:a00:1::1', '6to4, of special IPv4'],
  ['2620:4f:8000::', '2620:4f:8000:ffff:ffff:ffff:ffff:ffff', 'direct delegation AS112 service'],
  ['3fff::', '3fff:fff:ffff:ffff:ffff:ffff:ffff:ffff', 'documentation'],
  ['5f00::', '5f00:ffff:ffff:ffff:ffff:ffff:ffff:ffff', 'segment routing SIDs'],
  ['fc00::', 'fdff:ffff:ffff:ffff:ffff:ffff:ffff:ffff', 'unique local'],
  ['fe80::', 'febf:ffff:ffff:ffff:ffff:ffff:ffff:ffff', 'link-local unicast'],
  ['fec0::', 'feff:ffff:ffff:ffff:ffff:ffff:ffff:ffff', 'site local, retired'],
  ['ff00::', 'ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff', 'multicast'],
]

/** How a URL's host can spell an IPv4 address: as programs have read them since inet_aton, and embedded in IPv6. */
export function spellingsOf(address: string): readonly string[] {
  const [a = 0, b = 0, c = 0, d = 0] = address.split('.').map(Number)
  const whole = ((a * 256 + b) * 256 + c) * 256 + d
  const high = (a * 256 + b).toString(16)
  const low = (c * 256 + d).toString(16)
  return [
    address,
    `${address}.`,
    String(whole),
    `0${whole.toString(8)}`,
    `0x${whole.toString(16)}`,
    [a, b, c, d].map((byte) => `0${byte.toString(8)}`).join('.'),
    [a, b, c, d].map((byte) => `0x${byte.toString(16)}`).join('.'),
    `${a}.${(b * 256 + c) * 256 + d}`,
    `${a}.${b}.${c * 256 + d}`,
    `[::ffff:${address}]`,
    `[::ffff:${high}:${low}]`,
    `[64:ff9b::${address}]`,
    `[64:ff9b:1::${high}:${low}]`,
    `[2002:${high}:${low}::1]`,
    `[::${high}:${low}]`,
  ]
}
