import assert from 'node:assert/strict'
import { createECDH, createHash, createHmac, createPublicKey, pbkdf2Sync, verify } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { identityFromPhrase, identityId } from '@billhook/client'
import { keccak_256 } from '@noble/hashes/sha3.js'
import { projectRoot } from '../support/project-root.js'

/*
 * `docs/vectors/identity.json` is written by the client. Here it is checked by another implementation, of Node's own cryptography alone, and
 * that one by values that others have published.
 */

const vectors = JSON.parse(readFileSync(join(projectRoot, 'docs/vectors/identity.json'), 'utf8'))

/** The order of the group of secp256k1 (SEC 2, 2.4.1). */
const ORDER = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n
const HARDENED = 0x80000000

/** BIP-39, From mnemonic to seed. */
function seedOf(phrase: string, passphrase = ''): Buffer {
  return pbkdf2Sync(phrase.normalize('NFKD'), `mnemonic${passphrase}`.normalize('NFKD'), 2048, 64, 'sha512')
}

/** BIP-32, private derivation along a path. */
function privateKeyOf(seed: Buffer, path: string): Buffer {
  let node = createHmac('sha512', 'Bitcoin seed').update(seed).digest()
  for (const step of path.split('/').slice(1)) {
    const index = Number.parseInt(step, 10) + (step.endsWith("'") ? HARDENED : 0)
    const [key, chainCode] = [node.subarray(0, 32), node.subarray(32)]
    const place = Buffer.alloc(4)
    place.writeUInt32BE(index)
    const parent = index >= HARDENED ? Buffer.concat([Buffer.alloc(1), key]) : pointOf(key, 'compressed')
    const made = createHmac('sha512', chainCode).update(parent).update(place).digest()
    const sum = (numberIn(made.subarray(0, 32)) + numberIn(key)) % ORDER
    node = Buffer.concat([Buffer.from(sum.toString(16).padStart(64, '0'), 'hex'), made.subarray(32)])
  }
  return node.subarray(0, 32)
}

function numberIn(bytes: Buffer): bigint {
  return BigInt(`0x${bytes.toString('hex')}`)
}

function pointOf(privateKey: Buffer, format: 'compressed' | 'uncompressed'): Buffer {
  const ecdh = createECDH('secp256k1')
  ecdh.setPrivateKey(privateKey)
  return Buffer.from(ecdh.getPublicKey('hex', format), 'hex')
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}

function fits(signature: string, text: string, privateKey: Buffer): boolean {
  const point = pointOf(privateKey, 'uncompressed')
  const [x, y] = [point.subarray(1, 33).toString('base64url'), point.subarray(33).toString('base64url')]
  const key = createPublicKey({ key: { kty: 'EC', crv: 'secp256k1', x, y }, format: 'jwk' })
  return verify('sha256', Buffer.from(text), key, Buffer.from(signature, 'base64'))
}

describe('the other implementation', () => {
  /** English test vectors of BIP-39, whose passphrase is TREZOR. */
  const published: readonly [phrase: string, seed: string][] = [
    [
      'abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon about',
      'c55257c360c07c72029aebc1b53c05ed0362ada38ead3e3e9efa3708e53495531f09a6987599d18264c1e1c92f2cf141630c7a3c4ab7c81b2f001698e7463b04',
    ],
    [
      'legal winner thank year wave sausage worth useful legal winner thank yellow',
      '2e8905819b8723fe2c1d161860e5ee1830318dbf49a83bd451cfb8440c28bd6fa457fe1296106559a3c80937a1c1069be3a3a5bd381ee6260e8d9739fce1f607',
    ],
    [
      'letter advice cage absurd amount doctor acoustic avoid letter advice cage above',
      'd71de856f81a8acc65e6fc851a38d4d7ec216fd0796d0a6827a3ad6ed5511a30fa280f12eb2e47ed2ac03b5c462a0358d18d69fe4f985ec81778c1b370b652a8',
    ],
    [
      'zoo zoo zoo zoo zoo zoo zoo zoo zoo zoo zoo wrong',
      'ac27495480225222079d7be181583751e86f571027b0497b5b5d11218e0a8a13332572917f0f8e5a589620c6f15b11c61dee327651a14c34e18231052e48c069',
    ],
  ]
  for (const [phrase, seed] of published) {
    test(`makes the published seed of ${phrase.split(' ')[0]} …`, () => {
      assert.equal(seedOf(phrase, 'TREZOR').toString('hex'), seed)
    })
  }

  test('makes the published keys of BIP-32, test vector 1', () => {
    const seed = Buffer.from('000102030405060708090a0b0c0d0e0f', 'hex')
    const keys = {
      m: 'e8f32e723decf4051aefac8e2c93c9c5b214313817cdb01a1494b917c8436b35',
      "m/0'": 'edb2e14f9ee77d26dd93b4ecede8d16ed408ce149b6cd80b0715a2d911a0afea',
      "m/0'/1": '3c6cb8d0f6a264c91ea8b5030fadaa8e538b020f0a387421a12de9319dc93368',
    }
    for (const [path, key] of Object.entries(keys)) assert.equal(privateKeyOf(seed, path).toString('hex'), key)
  })

  test('makes the account that development nodes of Ethereum begin with', () => {
    const phrase = 'test test test test test test test test test test test junk'
    const key = privateKeyOf(seedOf(phrase), "m/44'/60'/0'/0/0")
    const address = keccak_256(pointOf(key, 'uncompressed').subarray(1)).subarray(12)
    assert.equal(Buffer.from(address).toString('hex'), 'f39fd6e51aad88f6f4ce6ab8827279cfffb92266')
  })
})

describe('docs/vectors/identity.json', () => {
  const { path, ledger, identities, refused } = vectors

  for (const { phrase, seed, privateKey, publicKey, identity, onboarding, assignment } of identities) {
    describe(`has what follows from ${phrase.split(' ')[0]} …`, () => {
      const key = privateKeyOf(seedOf(phrase), path)

      test('its seed, its key and its identity', () => {
        assert.equal(seedOf(phrase).toString('hex'), seed)
        assert.equal(key.toString('hex'), privateKey)
        assert.equal(pointOf(key, 'compressed').toString('hex'), publicKey)
        assert.equal(sha256(`0x${publicKey}${ledger.onboardingName}`), identity)
      })

      test('as the client makes them', async () => {
        assert.equal((await identityFromPhrase(phrase)).publicKey, publicKey)
        assert.equal((await identityFromPhrase(` ${phrase.toUpperCase()}\n`, { path })).publicKey, publicKey)
        assert.equal(identityId(publicKey, ledger.onboardingName), identity)
      })

      test('an onboarding that the ledger accepts', () => {
        const $tx = {
          $contract: ledger.contracts.onboard,
          $namespace: ledger.namespace,
          $i: { otk: { publicKey: `0x${publicKey}`, type: 'secp256k1' } },
        }
        assert.equal(onboarding.signed, JSON.stringify($tx))
        assert.equal(onboarding.body, JSON.stringify({ $selfsign: true, $sigs: { otk: onboarding.signature }, $tx }))
        assertSigned(onboarding, key)
      })

      test('an assignment that the ledger accepts', () => {
        const $tx = {
          $contract: ledger.contracts.assignOwner,
          $namespace: ledger.namespace,
          $i: { owner: { $stream: identity, personal: true } },
          $o: { wallet: { $stream: assignment.wallet } },
        }
        assert.equal(assignment.signed, JSON.stringify($tx))
        assert.equal(assignment.body, JSON.stringify({ $sigs: { [identity]: assignment.signature }, $tx }))
        assertSigned(assignment, key)
      })
    })
  }

  test('has words that are no phrase', async () => {
    assert.ok(refused.length >= 3)
    for (const { words } of refused) await assert.rejects(identityFromPhrase(words), TypeError)
  })

  test('has several identities', () => assert.ok(identities.length >= 5))
})

interface Signed {
  readonly signed: string
  readonly sha256: string
  readonly signature: string
}

function assertSigned({ signed, sha256: digest, signature }: Signed, key: Buffer): void {
  assert.equal(sha256(signed), digest)
  assert.ok(fits(signature, signed, key))
  assert.ok(!fits(signature, `${signed} `, key))
}
