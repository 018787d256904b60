import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import ipaddr from 'ipaddr.js'
import { AddressGuard } from '../../src/webhooks/address-guard.js'

const guard = new AddressGuard({ allowAll: false, allow: [] })

/** First and last address of each forbidden block, and its public neighbours where it has some. */
const blocksV4: readonly (readonly [first: string, last: string, before: string | null, after: string | null])[] = [
  ['0.0.0.0', '0.255.255.255', null, '1.0.0.0'],
  ['10.0.0.0', '10.255.255.255', '9.255.255.255', '11.0.0.0'],
  ['100.64.0.0', '100.127.255.255', '100.63.255.255', '100.128.0.0'],
  ['127.0.0.0', '127.255.255.255', '126.255.255.255', '128.0.0.0'],
  ['168.63.129.16', '168.63.129.16', '168.63.129.15', '168.63.129.17'],
  ['169.254.0.0', '169.254.255.255', '169.253.255.255', '169.255.0.0'],
  ['172.16.0.0', '172.31.255.255', '172.15.255.255', '172.32.0.0'],
  ['192.0.0.0', '192.0.0.255', '191.255.255.255', '192.0.1.0'],
  ['192.0.2.0', '192.0.2.255', '192.0.1.255', '192.0.3.0'],
  ['192.31.196.0', '192.31.196.255', '192.31.195.255', '192.31.197.0'],
  ['192.52.193.0', '192.52.193.255', '192.52.192.255', '192.52.194.0'],
  ['192.88.99.0', '192.88.99.255', '192.88.98.255', '192.88.100.0'],
  ['192.168.0.0', '192.168.255.255', '192.167.255.255', '192.169.0.0'],
  ['192.175.48.0', '192.175.48.255', '192.175.47.255', '192.175.49.0'],
  ['198.18.0.0', '198.19.255.255', '198.17.255.255', '198.20.0.0'],
  ['198.51.100.0', '198.51.100.255', '198.51.99.255', '198.51.101.0'],
  ['203.0.113.0', '203.0.113.255', '203.0.112.255', '203.0.114.0'],
  ['224.0.0.0', '239.255.255.255', '223.255.255.255', null],
  ['240.0.0.0', '255.255.255.255', null, null],
]

/** What clouds serve to their own machines, by the names and addresses of their documentation. */
const metadataServices = [
  ['169.254.169.254', 'AWS, Google Cloud, Azure, Oracle, DigitalOcean, Hetzner, OpenStack'],
  ['169.254.170.2', 'AWS, credentials of containers'],
  ['169.254.170.23', 'AWS, credentials of pods'],
  ['169.254.169.123', 'AWS, time'],
  ['fd00:ec2::254', 'AWS'],
  ['fd00:ec2::23', 'AWS, credentials of pods'],
  ['fd20:ce::254', 'Google Cloud'],
  ['168.63.129.16', 'Azure WireServer'],
  ['100.100.100.200', 'Alibaba'],
  ['192.0.0.192', 'Oracle, classic'],
  ['fd00:c1::a9fe:a9fe', 'Oracle'],
  ['169.254.0.23', 'Tencent'],
  ['169.254.42.42', 'Scaleway'],
  ['fd00:42::42', 'Scaleway'],
  ['fd00:a9fe:a9fe::1', 'Akamai'],
  ['fe80::a9fe:a9fe', 'OpenStack'],
] as const

const forbiddenV6 = [
  '::',
  '::1',
  '::7f00:1', // IPv4-compatible 127.0.0.1
  '::808:808', // IPv4-compatible 8.8.8.8
  '::5efe:8.8.8.8', // ISATAP, under prefixes that are not public
  'fe80::200:5efe:8.8.8.8',
  'fd00::5efe:8.8.8.8',
  '64:ff9b:1::1',
  '64:ff9b:1:ffff:ffff:ffff:ffff:ffff',
  '100::1',
  '100:0:0:1::1',
  '1fff:ffff:ffff:ffff:ffff:ffff:ffff:ffff',
  '2001::1', // Teredo
  '2001:2::1',
  '2001:10::1',
  '2001:20::1',
  '2001:1ff:ffff:ffff:ffff:ffff:ffff:ffff',
  '2001:db8::1',
  '2001:db8:ffff:ffff:ffff:ffff:ffff:ffff',
  '2620:4f:8000::1',
  '3fff::1',
  '3fff:fff:ffff:ffff:ffff:ffff:ffff:ffff',
  '4000::1',
  '5f00::1',
  'fc00::1',
  'fd12:3456:789a::1',
  'fe80::1',
  'fe80::1%eth0',
  'febf:ffff::1',
  'fec0::1',
  'feff::1',
  'ff00::1',
  'ff02::1',
  'ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff',
]

const publicV6 = [
  '2000::1',
  '2001:200::1',
  '2001:4860:4860::8888',
  '2606:4700::1111',
  '3ffe::1',
  '3fff:1000::1',
  '2a00::1',
]

/** Ways to write an IPv4 address in IPv6. */
function embeddingsOf(address: string): readonly string[] {
  const [a = 0, b = 0, c = 0, d = 0] = address.split('.').map(Number)
  const high = (a * 256 + b).toString(16)
  const low = (c * 256 + d).toString(16)
  return [
    `::ffff:${address}`,
    `::ffff:${high}:${low}`,
    `64:ff9b::${address}`,
    `2002:${high}:${low}::1`,
    `2a00::5efe:${address}`,
    `2a00:1:2:3:200:5efe:${high}:${low}`,
    `2002:808:808::200:5efe:${address}`,
  ]
}

describe('the address guard', () => {
  for (const [first, last, before, after] of blocksV4) {
    test(`forbids ${first} to ${last}, also embedded in IPv6, and nothing beside it`, () => {
      for (const address of [first, last]) {
        assert.equal(guard.isAllowed(address), false, address)
        for (const embedded of embeddingsOf(address)) assert.equal(guard.isAllowed(embedded), false, embedded)
      }
      for (const address of [before, after]) {
        if (address === null) continue
        assert.equal(guard.isAllowed(address), true, address)
        for (const embedded of embeddingsOf(address)) assert.equal(guard.isAllowed(embedded), true, embedded)
      }
    })
  }

  for (const [address, cloud] of metadataServices) {
    test(`forbids ${address}, which serves machines of ${cloud}`, () => {
      const spellings = address.includes(':') ? [address] : [address, ...embeddingsOf(address)]
      for (const spelling of spellings) assert.equal(guard.isAllowed(spelling), false, spelling)
    })
  }

  test('forbids every IPv6 address that is not public', () => {
    for (const address of forbiddenV6) assert.equal(guard.isAllowed(address), false, address)
    for (const address of publicV6) assert.equal(guard.isAllowed(address), true, address)
  })

  test('never allows what ipaddr.js knows to be special', () => {
    const embedded = new Set(['ipv4Mapped', 'rfc6052', '6to4'])
    const classes = [ipaddr.IPv4, ipaddr.IPv6]
    let seen = 0
    for (const { prototype } of classes) {
      const special: Record<string, [ipaddr.IPv4 | ipaddr.IPv6, number] | [ipaddr.IPv4 | ipaddr.IPv6, number][]> =
        Reflect.get(prototype, 'SpecialRanges')
      for (const [name, ranges] of Object.entries(special)) {
        if (embedded.has(name)) continue
        for (const entry of Array.isArray(ranges[0]) ? ranges : [ranges]) {
          const address = String(Array.isArray(entry) ? entry[0] : entry)
          assert.equal(guard.isAllowed(address), false, `${name} ${address}`)
          seen += 1
        }
      }
    }
    assert.ok(seen > 20)
  })

  test('forbids what is no address, however a program might read it', () => {
    for (const text of [
      '',
      'localhost',
      'example.com',
      '127.1',
      '0177.0.0.1',
      '0x7f.0.0.1',
      '2130706433',
      '8.8.8.8 ',
      '[::1]',
      '1.1.1.1/32',
    ]) {
      assert.equal(guard.isAllowed(text), false, text)
    }
  })

  test('the URL parser turns every spelling of an IPv4 address into one that the guard judges', () => {
    for (const host of [
      '2130706433',
      '0x7f000001',
      '017700000001',
      '0x7f.1',
      '127.1',
      '0177.0.0.01',
      '①②⑦.0.0.1',
      '127.0.0.1.',
    ]) {
      const { hostname } = new URL(`http://${host}/`)
      assert.equal(hostname, '127.0.0.1', host)
      assert.equal(guard.isAllowed(hostname), false, host)
    }
  })

  test('allows the networks that it is told, also embedded in IPv6, and those only', () => {
    const opened = new AddressGuard({ allowAll: false, allow: ['10.1.0.0/16', 'fd00::/8', '::1/128'] })
    const table: readonly [string, boolean][] = [
      ['10.1.2.3', true],
      ['10.2.0.0', false],
      ['::ffff:10.1.2.3', true],
      ['64:ff9b::10.1.2.3', true],
      ['::ffff:10.2.0.0', false],
      ['2a00::5efe:10.1.2.3', true],
      ['2a00::5efe:10.2.0.0', false],
      ['fd12::1', true],
      ['fc00::1', false],
      ['::1', true],
      ['127.0.0.1', false],
      ['8.8.8.8', true],
    ]
    for (const [address, isAllowed] of table) assert.equal(opened.isAllowed(address), isAllowed, address)
    assert.throws(() => new AddressGuard({ allowAll: false, allow: ['10.0.0.0'] }))
  })

  test('allows every address, but nothing else, when all are allowed', () => {
    const open = new AddressGuard({ allowAll: true, allow: [] })
    for (const address of ['127.0.0.1', '::1', '10.0.0.1', 'fe80::1', '8.8.8.8']) {
      assert.equal(open.isAllowed(address), true, address)
    }
    for (const text of ['', 'localhost']) assert.equal(open.isAllowed(text), false, text)
  })
})
