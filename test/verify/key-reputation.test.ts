import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { KeyReputation } from '../../src/verify/key-reputation.js'
import { testKey } from '../support/signing.js'

const { publicKey } = testKey('reputation')
const other = testKey('reputation, another').publicKey

function count(reputation: KeyReputation, count: number, isValid: boolean, key = publicKey, client = 'a'): void {
  for (let n = 0; n < count; n += 1) reputation.count(key, isValid, () => client)
}

function isSuspect(reputation: KeyReputation, key: Uint8Array, client = 'b'): boolean {
  return reputation.suspect(key, () => client) !== null
}

/** More than are remembered. */
const KEYS = 40_000
const REMEMBERED_AT_LEAST = 16_384

describe('the reputation of a key', () => {
  test('withstands a few bad signatures', () => {
    const reputation = new KeyReputation()
    count(reputation, 8, false)
    assert.equal(isSuspect(reputation, publicKey), false)
  })

  test('falls with more of them, and that of other keys does not', () => {
    const reputation = new KeyReputation()
    count(reputation, 9, false)
    assert.equal(isSuspect(reputation, publicKey), true)
    assert.equal(isSuspect(reputation, other), false)
  })

  test('does not fall while there are four good signatures for each bad one', () => {
    const reputation = new KeyReputation()
    for (let n = 0; n < 100; n += 1) {
      count(reputation, 1, false)
      count(reputation, 4, true)
      assert.equal(isSuspect(reputation, publicKey), false)
    }
  })

  test('is restored by 96 good signatures after a flood of any length, and what is in order is forgotten', () => {
    const reputation = new KeyReputation()
    count(reputation, 100_000, false)
    count(reputation, 95, true)
    assert.equal(isSuspect(reputation, publicKey), true)
    count(reputation, 1, true)
    assert.equal(isSuspect(reputation, publicKey), false)
    count(reputation, 32, true)
    assert.equal(reputation.isClean, true)
  })

  test('does not fall with clients that prove to have it, until they send bad ones themselves', () => {
    const reputation = new KeyReputation()
    count(reputation, 100, false, publicKey, 'attacker')
    assert.equal(isSuspect(reputation, publicKey, 'merchant'), true)
    count(reputation, 1, true, publicKey, 'merchant')
    assert.equal(isSuspect(reputation, publicKey, 'merchant'), false)
    assert.equal(isSuspect(reputation, publicKey, 'attacker'), true)
    assert.equal(isSuspect(reputation, publicKey, 'another'), true)
    count(reputation, 1, false, publicKey, 'merchant')
    assert.equal(isSuspect(reputation, publicKey, 'merchant'), true)
    count(reputation, 50, true, publicKey, 'merchant')
    count(reputation, 7, false, publicKey, 'merchant')
    assert.equal(isSuspect(reputation, publicKey, 'merchant'), false)
    count(reputation, 1, false, publicKey, 'merchant')
    assert.equal(isSuspect(reputation, publicKey, 'merchant'), true)
  })

  test('is told apart by client when it is suspect, and nobody is asked who the client is when it is not', () => {
    const reputation = new KeyReputation()
    const unasked = () => assert.fail('asked')
    assert.equal(reputation.suspect(publicKey, unasked), null)
    reputation.count(publicKey, true, unasked)
    count(reputation, 9, false)
    assert.equal(reputation.suspect(other, unasked), null)
    assert.notEqual(
      reputation.suspect(publicKey, () => 'a'),
      reputation.suspect(publicKey, () => 'b'),
    )
  })

  test('is kept for a bounded number of keys, the least recently heard of forgotten first', () => {
    const reputation = new KeyReputation()
    const keyOf = (n: number) => {
      const key = Buffer.alloc(33, 2)
      key.writeUInt32BE(n, 1)
      return key
    }
    for (let n = 0; n < KEYS; n += 1) count(reputation, 9, false, keyOf(n))
    assert.equal(isSuspect(reputation, keyOf(0)), false)
    assert.equal(isSuspect(reputation, keyOf(KEYS - REMEMBERED_AT_LEAST)), true)
    assert.equal(isSuspect(reputation, keyOf(KEYS - 1)), true)
  })

  test('is kept for a bounded number of clients that a suspect key does not lose', () => {
    const reputation = new KeyReputation()
    count(reputation, 100_000, false)
    const trusts = (n: number) => !isSuspect(reputation, publicKey, `client ${n}`)
    for (let n = 0; n < KEYS; n += 1) {
      count(reputation, 1, true, publicKey, `client ${n}`)
      count(reputation, 1, false, publicKey, 'attacker')
    }
    assert.equal(trusts(0), false)
    assert.equal(trusts(KEYS - 1), true)
  })
})
