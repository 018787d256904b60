import assert from 'node:assert/strict'
import { createECDH, createPublicKey } from 'node:crypto'
import { describe, test } from 'node:test'
import { canonicalKey, keysNamedIn, NAMED_DEPTH_MAX, NAMED_KEYS_MAX } from '../../src/ledger/named-keys.js'
import { testKey } from '../support/signing.js'

const KEY = testKey('named').publicKeyHex
const OTHER = testKey('other').publicKeyHex

/** A key in the other forms that nodes take. */
function formsOf(seed: string): { readonly uncompressed: string; readonly pem: string; readonly compressed: string } {
  const ecdh = createECDH('secp256k1')
  ecdh.setPrivateKey(Buffer.alloc(32, seed))
  const point = ecdh.getPublicKey()
  const [x, y] = [point.subarray(1, 33), point.subarray(33)].map((part) => part.toString('base64url'))
  const jwk = { kty: 'EC', crv: 'secp256k1', x: x ?? '', y: y ?? '' }
  return {
    uncompressed: point.toString('hex'),
    compressed: ecdh.getPublicKey('hex', 'compressed'),
    pem: createPublicKey({ key: jwk, format: 'jwk' }).export({ type: 'spki', format: 'pem' }).toString(),
  }
}

/** A value so deep in lists. */
function nested(value: unknown, depth: number): unknown {
  return depth === 0 ? value : [nested(value, depth - 1)]
}

describe('the keys that a transaction names', () => {
  const { uncompressed, pem, compressed } = formsOf('a')
  const table: readonly (readonly [string, unknown, readonly string[]])[] = [
    ['in $i, where the recorded contract has it', { $i: { owner: { newKey: `0x${KEY}` } } }, [KEY]],
    ['in upper case', { a: `0x${KEY.toUpperCase()}` }, [KEY]],
    ['uncompressed', { a: `0x${uncompressed}` }, [compressed]],
    ['in PEM', { a: { b: [pem] } }, [compressed]],
    ['as a name', { a: { [`0x${KEY}`]: { stake: 100 } } }, [KEY]],
    ['several, each once and in order', [`0x${KEY}`, { a: `0x${OTHER}` }, `0x${KEY}`], [KEY, OTHER].sort()],
    ['none without 0x, as nodes take none', { a: KEY }, []],
    ['none in other texts', { a: `key 0x${KEY}`, b: 7, c: null, d: true, e: 'x'.repeat(2000) }, []],
    ['none at all', undefined, []],
    ['as deep as is looked', nested(`0x${KEY}`, NAMED_DEPTH_MAX), [KEY]],
    ['not deeper', nested(`0x${KEY}`, NAMED_DEPTH_MAX + 1), []],
  ]
  for (const [what, tx, keys] of table) test(what, () => assert.deepEqual(keysNamedIn(tx), keys))

  test('are no more than some', () => {
    const many = Array.from({ length: 2 * NAMED_KEYS_MAX }, (_, i) => `0x${testKey(`many ${i}`).publicKeyHex}`)
    assert.equal(keysNamedIn(many).length, NAMED_KEYS_MAX)
  })

  test('are not looked for in all of a large transaction', () => {
    assert.deepEqual(keysNamedIn([...Array(10_000).fill(1), `0x${KEY}`]), [])
  })
})

test('a long text is no key, and costs nothing', () => {
  assert.equal(canonicalKey(`-----BEGIN PUBLIC KEY-----\n${'A'.repeat(100_000)}`), null)
})
