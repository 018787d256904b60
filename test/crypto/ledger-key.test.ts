import assert from 'node:assert/strict'
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

/*
 * Keys made with OpenSSL for this test, as texts: `generateKeyPairSync` and an export of what it made have been seen to wait
 * for each other for ever in Node 20.
 */

const pemOf = (what: string, ...lines: readonly string[]) =>
  [`-----BEGIN ${what} KEY-----`, ...lines, `-----END ${what} KEY-----`, ''].join('\n')

const SECP256K1_HEX = '03d77be81b29d5a3b93c6fb3888c63b780eaf3a2b0145b81f99c311fa48fa002fd'
const SECP256K1 = pemOf(
  'PUBLIC',
  'MFYwEAYHKoZIzj0CAQYFK4EEAAoDQgAE13voGynVo7k8b7OIjGO3gOrzorAUW4H5',
  'nDEfpI+gAv304BzqwCPR9aNlnz2glzTD5F+hzHz0jrBfE5d/zNK5pQ==',
)
const SECP256K1_PRIVATE = pemOf(
  'PRIVATE',
  'MIGEAgEAMBAGByqGSM49AgEGBSuBBAAKBG0wawIBAQQg0Yb14f0KhmqRoQ9KEBcA',
  '7n42TXT5wDERHnWF8J5J5pihRANCAATXe+gbKdWjuTxvs4iMY7eA6vOisBRbgfmc',
  'MR+kj6AC/fTgHOrAI9H1o2WfPaCXNMPkX6HMfPSOsF8Tl3/M0rml',
)
const P256 = pemOf(
  'PUBLIC',
  'MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEkvT5Cp3lenXOhGs+RDAp/fZTIPW/',
  'ax8uRfspECo9E2FiHSe3yhBQUUt4E2H4qXX+IFRqVjeRY+mjsK8CTc/04w==',
)
const ED25519 = pemOf('PUBLIC', 'MCowBQYDK2VwAyEA51rZOBll4EAyJfaApHxTsS2S2Kk5i0MPQgfcwYlSgpw=')

test('a key is read from PEM, and only a public one of this curve', () => {
  const read = publicKeyFromPem(SECP256K1)
  assert.equal(Buffer.from(read ?? []).toString('hex'), SECP256K1_HEX)
  assert.deepEqual(publicKeyFromPem(`\n${SECP256K1}`), read)

  for (const other of [SECP256K1_PRIVATE, P256, ED25519, '', pemOf('PUBLIC', 'AAAA')]) {
    assert.equal(publicKeyFromPem(other), null)
  }
})
