import assert from 'node:assert/strict'
import { generateKeyPairSync } from 'node:crypto'
import { test } from 'node:test'
import { normalisePublicKey, publicKeyFromPem } from '../../src/crypto/ledger-key.js'
import { notPublicKeys } from '../contract/secp256k1-engine.js'

const compressed = Buffer.from('0279be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798', 'hex')
const uncompressed = Buffer.from(notPublicKeys.uncompressed ?? '', 'hex')

test('a compressed and an uncompressed key have the same compressed form', () => {
  assert.deepEqual(normalisePublicKey(compressed), new Uint8Array(compressed))
  assert.deepEqual(normalisePublicKey(uncompressed), new Uint8Array(compressed))
})

test('what is no key has none', () => {
  const { uncompressed: _, ...others } = notPublicKeys
  for (const [name, hex] of Object.entries(others)) {
    assert.equal(normalisePublicKey(Buffer.from(hex, 'hex')), null, name)
  }
  const offCurve = Buffer.from(uncompressed)
  offCurve[64] = (offCurve[64] ?? 0) ^ 1
  assert.equal(normalisePublicKey(offCurve), null)
})

test('a key is read from PEM, and only a public one of this curve', () => {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'secp256k1' })
  const pem = publicKey.export({ type: 'spki', format: 'pem' }).toString()
  const { x = '' } = publicKey.export({ format: 'jwk' })
  const read = publicKeyFromPem(pem)
  assert.deepEqual(Buffer.from(read ?? []).subarray(1), Buffer.from(x, 'base64url'))
  assert.deepEqual(publicKeyFromPem(`\n${pem}`), read)

  assert.equal(publicKeyFromPem(privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()), null)
  assert.equal(publicKeyFromPem(''), null)
  assert.equal(publicKeyFromPem('-----BEGIN PUBLIC KEY-----\nAAAA\n-----END PUBLIC KEY-----\n'), null)
  const others = [
    generateKeyPairSync('ec', { namedCurve: 'prime256v1' }).publicKey,
    generateKeyPairSync('ed25519').publicKey,
  ]
  for (const other of others) {
    assert.equal(publicKeyFromPem(other.export({ type: 'spki', format: 'pem' }).toString()), null)
  }
})
