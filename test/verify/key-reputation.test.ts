import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { KeyReputation } from '../../src/verify/key-reputation.js'
import { testKey } from '../support/signing.js'

const { publicKey } = testKey('standing')
const other = testKey('standing, another').publicKey

function hear(standing: KeyReputation, count: number, isValid: boolean, key = publicKey, client = 'a'): void {
  for (let n = 0; n < count; n += 1) standing.count(key, isValid, () => client)
}

function isSuspect(standing: KeyReputation, key: Uint8Array, client = 'b'): boolean {
  return standing.suspect(key, () => client) !== null
}

describe('the standing of a key', () => {
  test('withstands a few bad signatures', () => {
    const standing = new KeyReputation()
    hear(standing, 8, false)
    assert.equal(isSuspect(standing, publicKey), false)
  })

  test('falls with more of them, and that of other keys does not', () => {
    const standing = new KeyReputation()
    hear(standing, 9, false)
    assert.equal(isSuspect(standing, publicKey), true)
    assert.equal(isSuspect(standing, other), false)
  })

  test('does not fall while there are four good signatures for each bad one', () => {
    const standing = new KeyReputation()
    for (let n = 0; n < 100; n += 1) {
      hear(standing, 1, false)
      hear(standing, 4, true)
      assert.equal(isSuspect(standing, publicKey), false)
    }
  })

  test('is restored by 96 good signatures after a flood of any length, and what is in order is forgotten', () => {
    const standing = new KeyReputation()
    hear(standing, 100_000, false)
    hear(standing, 95, true)
    assert.equal(isSuspect(standing, publicKey), true)
    hear(standing, 1, true)
    assert.equal(isSuspect(standing, publicKey), false)
    hear(standing, 32, true)
    assert.equal(standing.size, 0)
  })

  test('does not fall with clients that prove to have it, until they send bad ones themselves', () => {
    const standing = new KeyReputation()
    hear(standing, 100, false, publicKey, 'attacker')
    assert.equal(isSuspect(standing, publicKey, 'merchant'), true)
    hear(standing, 1, true, publicKey, 'merchant')
    assert.equal(isSuspect(standing, publicKey, 'merchant'), false)
    assert.equal(isSuspect(standing, publicKey, 'attacker'), true)
    assert.equal(isSuspect(standing, publicKey, 'another'), true)
    hear(standing, 1, false, publicKey, 'merchant')
    assert.equal(isSuspect(standing, publicKey, 'merchant'), true)
    hear(standing, 50, true, publicKey, 'merchant')
    hear(standing, 7, false, publicKey, 'merchant')
    assert.equal(isSuspect(standing, publicKey, 'merchant'), false)
    hear(standing, 1, false, publicKey, 'merchant')
    assert.equal(isSuspect(standing, publicKey, 'merchant'), true)
  })

  test('is told apart by client when it is suspect, and nobody is asked who the client is when it is not', () => {
    const standing = new KeyReputation()
    const unasked = () => assert.fail('asked')
    assert.equal(standing.suspect(publicKey, unasked), null)
    standing.count(publicKey, true, unasked)
    hear(standing, 9, false)
    assert.equal(standing.suspect(other, unasked), null)
    assert.notEqual(
      standing.suspect(publicKey, () => 'a'),
      standing.suspect(publicKey, () => 'b'),
    )
  })

  test('is kept for a bounded number of keys, the least recently heard of forgotten first', () => {
    const standing = new KeyReputation()
    const keyOf = (n: number) => {
      const key = Buffer.alloc(33, 2)
      key.writeUInt32BE(n, 1)
      return key
    }
    for (let n = 0; n < 20_000; n += 1) hear(standing, 9, false, keyOf(n))
    assert.equal(standing.size, 16_384)
    for (let n = 0; n < 20_000; n += 1) hear(standing, 1, true, keyOf(19_999), `client ${n}`)
    hear(standing, 9, false, keyOf(19_999))
    assert.ok(standing.trusted <= 16_384)
    assert.equal(isSuspect(standing, keyOf(0)), false)
    assert.equal(isSuspect(standing, keyOf(19_999)), true)
  })
})
