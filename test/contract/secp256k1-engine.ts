import assert from 'node:assert/strict'
import { createECDH, createHash, createPrivateKey, sign } from 'node:crypto'
import { describe, test } from 'node:test'
import type { Secp256k1Engine } from '../../src/crypto/secp256k1.js'
import { privateKeyPem } from '../support/pem.js'
import { encodeDer, ORDER, signDer, testKey } from '../support/signing.js'
import { wycheproofCases } from '../support/wycheproof.js'

/*
 * What every engine must do. The policy is in front of all of them, so a difference here is a difference in the curve
 * or a policy that an engine got round.
 */

const HALF_ORDER = ORDER / 2n
/** Signatures by OpenSSL, which is in Node; that all have the same half for s has a chance of 2⁻³¹. */
const OPENSSL_SIGNATURES = 32

/** Public keys that are none. All but the marked ones have the right length and prefix of some form. */
export const notPublicKeys: Readonly<Record<string, string>> = {
  'x is not on the curve (x = 5)': `02${'5'.padStart(64, '0')}`,
  'x is zero': `02${'0'.repeat(64)}`,
  'x is the field prime': '02fffffffffffffffffffffffffffffffffffffffffffffffffffffffefffffc2f',
  'x is the field prime and 1, on the curve if it were reduced':
    '02fffffffffffffffffffffffffffffffffffffffffffffffffffffffefffffc30',
  'all bits set': `02${'f'.repeat(64)}`,
  'prefix 00': '0079be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798',
  'prefix 01': '0179be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798',
  'prefix 04 on 33 bytes': '0479be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798',
  'prefix 05': '0579be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798',
  'prefix 06 on 33 bytes': '0679be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798',
  uncompressed:
    '0479be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798483ada7726a3c4655da4fbfc0e1108a8fd17b448a68554199c47d08ffb10d4b8',
  hybrid:
    '0679be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798483ada7726a3c4655da4fbfc0e1108a8fd17b448a68554199c47d08ffb10d4b8',
  'one byte short': '0279be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f817',
  'one byte long': '0279be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f8179800',
  empty: '',
  infinity: '00',
}

export function testSecp256k1Engine(engine: Secp256k1Engine): void {
  describe(`the ${engine.name} engine`, () => {
    const key = testKey('engine')
    const message = Buffer.from('POST /api/invoices\n1700000000000\n{}')
    const digest = sha256(message)

    test('agrees with every Wycheproof vector', () => {
      let valid = 0
      let highS = 0
      for (const vector of wycheproofCases()) {
        // No vector is "acceptable", and those that are invalid only for their encoding (MissingZero,
        // BerEncodedSignature) are invalid under the policy too.
        assert.match(vector.result, /^(valid|invalid)$/)
        const verdict = engine.verify(vector.signature, sha256(vector.message), vector.publicKey)
        assert.equal(verdict, vector.result === 'valid', `${vector.id} ${vector.comment} [${vector.flags}]`)
        if (verdict) valid++
        if (verdict && sOf(vector.signature) > HALF_ORDER) highS++
      }
      assert.equal(valid, 168)
      assert.ok(highS > 0, 'high-S signatures are among the valid ones')
    })

    test('accepts low and high S', () => {
      const low = signDer(message, key, 'low')
      const high = signDer(message, key, 'high')
      assert.ok(sOf(low) <= HALF_ORDER && sOf(high) > HALF_ORDER)
      assert.equal(engine.verify(low, digest, key.publicKey), true)
      assert.equal(engine.verify(high, digest, key.publicKey), true)
    })

    test('judges a key that it has seen as it judged it the first time, and the mirrored key by itself', () => {
      const signature = signDer(message, key)
      const otherDigest = sha256(Buffer.from('another message'))
      const mirrored = Buffer.from(key.publicKey)
      mirrored[0] = key.publicKey[0] === 2 ? 3 : 2
      for (let round = 0; round < 3; round++) {
        assert.equal(engine.verify(signature, digest, key.publicKey), true)
        assert.equal(engine.verify(signature, otherDigest, key.publicKey), false)
        assert.equal(engine.verify(signature, digest, mirrored), false)
      }
    })

    test('does not change what it is given', () => {
      const high = signDer(message, key, 'high')
      const before = [Buffer.from(high), Buffer.from(digest), Buffer.from(key.publicKey)]
      engine.verify(high, digest, key.publicKey)
      assert.deepEqual([high, digest, Buffer.from(key.publicKey)], before)
    })

    test('refuses another key, another digest and an altered signature', () => {
      const signature = signDer(message, key)
      assert.equal(engine.verify(signature, digest, testKey('other').publicKey), false)
      assert.equal(engine.verify(signature, sha256(Buffer.from('other')), key.publicKey), false)
      for (const index of [4, 20, signature.length - 1]) {
        const altered = Buffer.from(signature)
        altered[index] = (altered[index] ?? 0) ^ 1
        assert.equal(engine.verify(altered, digest, key.publicKey), false, `byte ${index}`)
      }
    })

    test('refuses r and s out of range', () => {
      const compact = signDer(message, key)
      const [r, s] = [rOf(compact), sOf(compact)]
      const cases: [string, bigint, bigint][] = [
        ['r is 0', 0n, s],
        ['s is 0', r, 0n],
        ['both are 0', 0n, 0n],
        ['r is n', ORDER, s],
        ['s is n', r, ORDER],
        ['s and n', r, s + ORDER],
        ['r and n', r + ORDER, s],
        ['256 bits set', 2n ** 256n - 1n, 2n ** 256n - 1n],
      ]
      for (const [name, badR, badS] of cases) {
        assert.equal(engine.verify(encodeDer(badR, badS), digest, key.publicKey), false, name)
      }
    })

    test('knows public keys from what is none', () => {
      const generator = '79be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798'
      for (const prefix of ['02', '03']) {
        assert.equal(engine.isPublicKey(Buffer.from(prefix + generator, 'hex')), true, prefix)
      }
      for (const [name, hex] of Object.entries(notPublicKeys)) {
        assert.equal(engine.isPublicKey(Buffer.from(hex, 'hex')), false, name)
      }
    })

    test('answers false for what is no public key', () => {
      const signature = signDer(message, key)
      for (const [name, hex] of Object.entries(notPublicKeys)) {
        assert.equal(engine.verify(signature, digest, Buffer.from(hex, 'hex')), false, name)
      }
    })

    test('refuses an uncompressed key even of the signer', () => {
      const secretOne = testKeyOfGenerator()
      const signature = signDer(message, secretOne)
      assert.equal(engine.verify(signature, digest, secretOne.publicKey), true)
      assert.equal(engine.verify(signature, digest, Buffer.from(notPublicKeys.uncompressed ?? '', 'hex')), false)
    })

    test('throws for a digest that is none', () => {
      const signature = signDer(message, key)
      for (const length of [0, 31, 33]) {
        assert.throws(() => engine.verify(signature, Buffer.alloc(length), key.publicKey), RangeError)
      }
    })

    test('accepts what OpenSSL signs', () => {
      const curve = createECDH('secp256k1')
      curve.setPrivateKey(key.secretKey)
      const publicKey = curve.getPublicKey(null, 'compressed')
      assert.equal(engine.isPublicKey(publicKey), true)
      const privateKey = createPrivateKey(privateKeyPem(key))
      let high = 0
      for (let i = 0; i < OPENSSL_SIGNATURES; i++) {
        const signature = sign('sha256', message, privateKey)
        assert.equal(engine.verify(signature, digest, publicKey), true, signature.toString('hex'))
        if (sOf(signature) > HALF_ORDER) high++
      }
      assert.ok(high > 0 && high < OPENSSL_SIGNATURES, `${high} of ${OPENSSL_SIGNATURES} have a high S`)
    })
  })
}

function sha256(bytes: Uint8Array): Buffer {
  return createHash('sha256').update(bytes).digest()
}

/** The key of the secret 1, whose public key is the generator. */
function testKeyOfGenerator() {
  const secretKey = Buffer.alloc(32)
  secretKey[31] = 1
  const publicKeyHex = '0279be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798'
  return { secretKey, publicKey: Buffer.from(publicKeyHex, 'hex'), publicKeyHex }
}

/** The first integer of a strict DER signature. */
function rOf(der: Buffer): bigint {
  return BigInt(`0x${der.subarray(4, 4 + (der[3] ?? 0)).toString('hex')}`)
}

/** The second one. */
function sOf(der: Buffer): bigint {
  return BigInt(`0x${der.subarray(6 + (der[3] ?? 0)).toString('hex')}`)
}
