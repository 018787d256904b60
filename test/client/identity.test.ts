import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { describe, test } from 'node:test'
import { IDENTITY_PATH, identityFromPhrase, identityId, newPhrase } from '@billhook/client'
import { keccak_256 } from '@noble/hashes/sha3.js'
import { Point } from '@noble/secp256k1'
import { identityOfKeyText } from '../../src/auth/identity-key.js'

/** The first of the test vectors of BIP-39, and the Ethereum address that wallets show for it. */
const PHRASE = 'abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon about'
const ADDRESS = '9858effd232b4033e47d90003d41ec34ecaeda94'

/** The Ethereum address of a compressed public key, in lower case. */
function addressOf(publicKey: string): string {
  const point = Point.fromHex(publicKey).toBytes(false).subarray(1)
  return Buffer.from(keccak_256(point).subarray(12)).toString('hex')
}

describe('identityFromPhrase', () => {
  test('derives the key that wallets derive along the documented path', async () => {
    const { publicKey } = await identityFromPhrase(PHRASE)
    assert.equal(IDENTITY_PATH, "m/44'/60'/0'/0/0")
    assert.match(publicKey, /^0[23][0-9a-f]{64}$/)
    assert.equal(addressOf(publicKey), ADDRESS)
  })

  test('takes another path', async () => {
    const { publicKey } = await identityFromPhrase(PHRASE, { path: "m/44'/60'/0'/0/1" })
    assert.equal(addressOf(publicKey), '6fac4d18c912343bf86fa7049364dd4e424ab9c0')
  })

  test('does not mind case and blanks', async () => {
    const { publicKey } = await identityFromPhrase(PHRASE)
    const written = `  ${PHRASE.toUpperCase().replaceAll(' ', ' \n')}\t`
    assert.equal((await identityFromPhrase(written)).publicKey, publicKey)
  })

  test('rejects words that are no phrase, and does not repeat them', async () => {
    for (const words of ['', PHRASE.replace('about', 'abandon'), PHRASE.replace('about', 'abuot'), 'abandon about']) {
      await assert.rejects(identityFromPhrase(words), (error: Error) => {
        return error instanceof TypeError && !error.message.includes('abandon')
      })
    }
  })
})

describe('newPhrase', () => {
  test('gives twelve words, others each time', async () => {
    const [one, two] = [newPhrase(), newPhrase()]
    assert.equal(one.split(' ').length, 12)
    assert.notEqual(one, two)
    await identityFromPhrase(one)
  })
})

describe('identityId', () => {
  test('is the digest of the key with 0x and the onboarding name, however the key is written', async () => {
    const { publicKey } = await identityFromPhrase(PHRASE)
    const expected = createHash('sha256').update(`0x${publicKey}a name`).digest('hex')
    for (const text of [publicKey, `0x${publicKey}`, publicKey.toUpperCase()]) {
      assert.equal(identityId(text, 'a name'), expected)
    }
    assert.equal(expected, identityOfKeyText(`0x${publicKey}`, 'a name'))
  })
})
