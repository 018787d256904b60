import assert from 'node:assert/strict'
import { createPrivateKey } from 'node:crypto'
import { describe, test } from 'node:test'
import { keySigner } from '@billhook/client'
import { sha256 } from '@noble/hashes/sha2.js'
import { verify } from '@noble/secp256k1'
import { newSigningKeyPem, readPrivateKey } from '../../src/crypto/signing-key.js'
import { privateKeyPem } from '../support/pem.js'
import { testKey } from '../support/signing.js'

const key = testKey('client')
const hex = Buffer.from(key.secretKey).toString('hex')

describe('keySigner', () => {
  test('takes bytes, hex and PEM for the same key', () => {
    const pkcs8 = privateKeyPem(key)
    const sec1 = createPrivateKey(pkcs8).export({ type: 'sec1', format: 'pem' }) as string
    for (const form of [key.secretKey, hex, `0x${hex}`, hex.toUpperCase(), `${hex}\n`, pkcs8, sec1]) {
      assert.equal(keySigner(form).publicKey, key.publicKeyHex)
    }
  })

  test('takes what billhook keygen writes', () => {
    const pem = newSigningKeyPem()
    const read = readPrivateKey(pem)
    assert.ok(read instanceof Uint8Array)
    assert.equal(keySigner(pem).publicKey, keySigner(read).publicKey)
  })

  test('takes no other text and no number out of range, and repeats none of it', () => {
    const zero = '0'.repeat(64)
    for (const form of ['', 'secret', hex.slice(2), `${hex}00`, zero, 'f'.repeat(64), new Uint8Array(31)]) {
      assert.throws(
        () => keySigner(form),
        (error: Error) => {
          assert.ok(error instanceof TypeError)
          assert.match(error.message, /private key/)
          return !error.message.includes('secret')
        },
      )
    }
  })

  test('signs a digest as it is, deterministically', async () => {
    const digest = sha256(Buffer.from('text'))
    const signature = await keySigner(hex).sign(digest)
    assert.ok(verify(signature, digest, key.publicKey, { prehash: false }))
    assert.deepEqual(await keySigner(hex).sign(digest), signature)
  })
})
