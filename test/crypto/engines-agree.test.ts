import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { test } from 'node:test'
import { noble } from '../../src/crypto/noble.js'
import { chooseEngine } from '../../src/verify/engine-choice.js'
import { notPublicKeys } from '../contract/secp256k1-engine.js'
import { signDer, testKey } from '../support/signing.js'
import { wycheproofCases } from '../support/wycheproof.js'

const ROUNDS = 60
const { engine: fast, reason } = await chooseEngine('auto')
const skip = fast.name === 'libsecp256k1' ? false : reason

/** The same unpredictable-looking bytes in every run. */
function bytesOf(seed: string): Buffer {
  return createHash('sha256').update(seed).digest()
}

test('both engines give the same verdict on signatures and on mutations of them', { skip }, () => {
  for (let round = 0; round < ROUNDS; round++) {
    const dice = bytesOf(`dice ${round}`)
    const message = bytesOf(`message ${round}`)
    const digest = createHash('sha256').update(message).digest()
    const key = testKey(`agree ${round}`)
    const signature = signDer(message, key, round % 2 === 0 ? 'low' : 'high')
    assert.equal(fast.verify(signature, digest, key.publicKey), true)
    assert.equal(noble.verify(signature, digest, key.publicKey), true)

    const altered = Buffer.from(signature)
    const at = dice.readUInt16BE(0) % altered.length
    altered[at] = (altered[at] ?? 0) ^ (1 << (dice.readUInt8(2) % 8))
    const shorter = signature.subarray(0, dice.readUInt8(3) % signature.length)
    const longer = Buffer.concat([signature, dice.subarray(0, 1 + (dice.readUInt8(4) % 4))])
    const otherKey = Buffer.from(key.publicKey)
    const keyAt = 1 + (dice.readUInt8(5) % 32)
    otherKey[keyAt] = (otherKey[keyAt] ?? 0) ^ (1 << (dice.readUInt8(6) % 8))
    assert.equal(fast.isPublicKey(otherKey), noble.isPublicKey(otherKey), otherKey.toString('hex'))
    const mutations: [Buffer, Buffer][] = [
      [altered, Buffer.from(key.publicKey)],
      [shorter, Buffer.from(key.publicKey)],
      [longer, Buffer.from(key.publicKey)],
      [signature, otherKey],
    ]
    for (const [der, publicKey] of mutations) {
      const context = `${der.toString('hex')} by ${publicKey.toString('hex')}`
      assert.equal(fast.verify(der, digest, publicKey), false, context)
      assert.equal(noble.verify(der, digest, publicKey), false, context)
    }
  }
})

test('both engines give the same verdict on every Wycheproof vector and on keys that are none', { skip }, () => {
  for (const { id, signature, message, publicKey } of wycheproofCases()) {
    const digest = createHash('sha256').update(message).digest()
    assert.equal(fast.verify(signature, digest, publicKey), noble.verify(signature, digest, publicKey), `${id}`)
  }
  for (const [name, hex] of Object.entries(notPublicKeys)) {
    const key = Buffer.from(hex, 'hex')
    assert.equal(fast.isPublicKey(key), noble.isPublicKey(key), name)
  }
})

test('about half of all x coordinates are on the curve, the same ones for both engines', { skip }, () => {
  let onCurve = 0
  for (let i = 0; i < 200; i++) {
    const key = Buffer.concat([Buffer.of(2 + (i % 2)), bytesOf(`x ${i}`)])
    const valid = fast.isPublicKey(key)
    assert.equal(noble.isPublicKey(key), valid, key.toString('hex'))
    if (valid) onCurve++
  }
  assert.ok(onCurve > 60 && onCurve < 140, `${onCurve} of 200`)
})
