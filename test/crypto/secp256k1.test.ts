import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type CurveOperations, createEngine, parsePublicKeyHex } from '../../src/crypto/secp256k1.js'
import { encodeDer, ORDER } from '../support/signing.js'

const digits = '79be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798'

test('a public key is 66 hex digits in either case, 0x optional', () => {
  const key = Buffer.from(`02${digits}`, 'hex')
  for (const text of [`02${digits}`, `0x02${digits}`, `02${digits.toUpperCase()}`, `0x02${digits.toUpperCase()}`]) {
    assert.deepEqual(parsePublicKeyHex(text), key, text)
  }
  // Whether it is on the curve, or has a prefix of a compressed key, is not asked here.
  assert.deepEqual(parsePublicKeyHex('f'.repeat(66)), Buffer.alloc(33, 0xff))
})

test('anything else is no public key', () => {
  const texts = [
    '',
    '0x',
    digits,
    `0x${digits}`,
    `02${digits}0`,
    `02${digits}00`,
    `02${digits}`.slice(1),
    `0X02${digits}`,
    `0x0x02${digits}`,
    ` 02${digits}`,
    `02${digits} `,
    `02${digits}\n`,
    `02${digits}\u0000`,
    `02${digits.slice(0, -1)}g`,
    `02${digits.slice(0, -1)}٣`,
    `-2${digits}`,
    `04${digits}${digits}`,
  ]
  for (const text of texts) assert.equal(parsePublicKeyHex(text), null, JSON.stringify(text))
})

test('an engine sees only compressed keys, and only signatures in range with a low s', () => {
  const seen: string[] = []
  const curve: CurveOperations = {
    isOnCurve: () => true,
    verifyCompact(signature) {
      seen.push(Buffer.from(signature).toString('hex'))
      return true
    },
    uncompress: () => assert.fail(),
  }
  const engine = createEngine('noble', curve)
  const key = Buffer.from(`02${digits}`, 'hex')
  const digest = Buffer.alloc(32)
  const half = ORDER / 2n
  const hex = (value: bigint) => value.toString(16).padStart(64, '0')
  for (const [s, low] of [
    [1n, 1n],
    [half, half],
    [half + 1n, half],
    [half + 2n, half - 1n],
    [ORDER - 1n, 1n],
    [ORDER - 256n, 256n],
  ] as const) {
    assert.equal(engine.verify(encodeDer(7n, s), digest, key), true)
    assert.equal(seen.pop(), hex(7n) + hex(low), `s = ${s}`)
  }
  for (const der of [encodeDer(0n, 1n), encodeDer(1n, 0n), encodeDer(ORDER, 1n), encodeDer(1n, ORDER)]) {
    assert.equal(engine.verify(der, digest, key), false)
  }
  assert.equal(engine.verify(encodeDer(1n, 1n), digest, Buffer.from(`04${digits}`, 'hex')), false)
  assert.equal(engine.verify(encodeDer(1n, 1n), digest, Buffer.from(`04${digits}${digits}`, 'hex')), false)
  assert.equal(engine.isPublicKey(Buffer.from(`04${digits}${digits}`, 'hex')), false)
  assert.deepEqual(seen, [])
})
