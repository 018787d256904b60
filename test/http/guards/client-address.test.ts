import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { clientReader } from '../../../src/http/guards/client-address.js'
import { headFrom } from '../head-from.js'

const TRUSTED = ['127.0.0.1/32', '10.0.0.0/8', 'fd00::/8']

function keyOf(peer: string, forwardedFor: string | undefined, trusted: readonly string[] = TRUSTED): string {
  return clientReader(trusted)(headFrom(peer, forwardedFor === undefined ? {} : { 'x-forwarded-for': forwardedFor }))
    .key
}

describe('the client of a request', () => {
  const rows: readonly (readonly [what: string, peer: string, header: string | undefined, client: string])[] = [
    ['is the peer', '192.0.2.1', undefined, '192.0.2.1'],
    ['is the peer, whatever it claims, when it is not trusted', '192.0.2.1', '198.51.100.7', '192.0.2.1'],
    ['is what a trusted proxy says', '127.0.0.1', '198.51.100.7', '198.51.100.7'],
    ['is a trusted proxy that says nothing', '127.0.0.1', undefined, '127.0.0.1'],
    ['is the last hop that is no proxy', '10.1.1.1', '198.51.100.7, 203.0.113.9, 10.2.2.2', '203.0.113.9'],
    ['is not what the client wrote itself', '10.1.1.1', '127.0.0.1, 203.0.113.9', '203.0.113.9'],
    ['is the furthest when all are proxies', '10.1.1.1', '10.3.3.3,10.2.2.2', '10.3.3.3'],
    ['is the nearest known before a hop that is no address', '10.1.1.1', '198.51.100.7, unknown, 10.2.2.2', '10.2.2.2'],
    ['is the peer when the header is empty', '10.1.1.1', '', '10.1.1.1'],
    ['is read with a port', '10.1.1.1', '203.0.113.9:4711', '203.0.113.9'],
    ['is read in brackets', '10.1.1.1', '[2001:db8:1:2:3::4]', '20010db800010002/64'],
    ['is read in brackets with a port', '10.1.1.1', '[2001:db8:1:2::]:443', '20010db800010002/64'],
    ['is an IPv4 address also when mapped', '10.1.1.1', '::ffff:203.0.113.9', '203.0.113.9'],
    ['is not read from octal', '10.1.1.1', '0300.0.2.1', '10.1.1.1'],
    ['is found behind a proxy with an IPv6 address', 'fd00::1', '203.0.113.9', '203.0.113.9'],
    ['is a network of 64 bits with IPv6', '2001:db8:1:2:ffff::1', undefined, '20010db800010002/64'],
    ['is nobody once the connection has gone', '', '203.0.113.9', ''],
  ]
  for (const [what, peer, header, client] of rows) {
    test(what, () => assert.equal(keyOf(peer, header), client))
  }

  test('is the same for all addresses of 64 bits, and another one beyond', () => {
    assert.equal(keyOf('2001:db8:1:2::1', undefined), keyOf('2001:db8:1:2:ffff:ffff:ffff:ffff', undefined))
    assert.notEqual(keyOf('2001:db8:1:2::1', undefined), keyOf('2001:db8:1:3::1', undefined))
  })

  test('is looked for in the nearest 32 hops only', () => {
    const proxies = (count: number) => Array.from({ length: count }, (_, i) => `10.0.0.${i + 1}`)
    assert.equal(keyOf('10.1.1.1', ['203.0.113.9', ...proxies(31)].join(', ')), '203.0.113.9')
    assert.equal(keyOf('10.1.1.1', ['203.0.113.9', ...proxies(32)].join(', ')), '10.0.0.1')
  })

  test('is the peer when no proxy is trusted', () => {
    assert.equal(keyOf('127.0.0.1', '203.0.113.9', []), '127.0.0.1')
  })

  test('is known to be this machine', () => {
    const clientOf = clientReader(['10.0.0.0/8'])
    for (const address of ['127.0.0.1', '127.1.2.3', '::1']) assert.equal(clientOf(headFrom(address)).isLoopback, true)
    for (const address of ['192.0.2.1', '10.0.0.1', '2001:db8::1', '']) {
      assert.equal(clientOf(headFrom(address)).isLoopback, false)
    }
  })
})
