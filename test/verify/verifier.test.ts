import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { describe, test } from 'node:test'
import type { Secp256k1EngineName } from '../../src/crypto/secp256k1.js'
import { Verifier } from '../../src/verify/verifier.js'
import type { SignedDigest } from '../../src/verify/wire.js'
import { notPublicKeys } from '../contract/secp256k1-engine.js'
import { type ChosenSignature, chooseSignature, inverse } from '../support/chosen-signature.js'
import { dice } from '../support/dice.js'
import { ORDER, signDer, type TestKey, testKey } from '../support/signing.js'
import { rightVerdicts, TalkativeEngine } from '../support/talkative-engine.js'

/** Valid signatures after which a key has a table, with any engine, and with each. */
const NEEDED = 32
const NEEDED_BY: Readonly<Record<Secp256k1EngineName, number>> = { libsecp256k1: 32, noble: 4 }
/** Signatures below which the tables are not asked. */
const WORTH: Readonly<Record<Secp256k1EngineName, number>> = { libsecp256k1: 3, noble: 1 }
const names = ['libsecp256k1', 'noble'] as const
const frequentKey = testKey('frequent')
const throwDice = dice('verifier')

function sign(message: string, key: TestKey, s: 'low' | 'high' = 'low'): SignedDigest {
  return { signature: signDer(Buffer.from(message), key, s), digest: sha256(message), publicKey: key.publicKey }
}

function sha256(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}

function signatures(key: TestKey, count: number, seed = ''): SignedDigest[] {
  return Array.from({ length: count }, (_, i) => sign(`${seed} ${i}`, key))
}

/** A verifier in which those keys have a table. */
function verifierWith(engine: TalkativeEngine, keys: readonly TestKey[], limit = 4): Verifier {
  const verifier = new Verifier(engine, limit)
  for (const key of keys) assertRight(verifier, signatures(key, NEEDED))
  engine.asked = 0
  return verifier
}

function assertRight(verifier: Verifier, all: readonly SignedDigest[], context = ''): void {
  assert.deepEqual(verifier.verifyAll(all), rightVerdicts(all), context)
}

/** Another digest, so that the signature is not valid. */
function forge(signed: SignedDigest): SignedDigest {
  return { ...signed, digest: sha256(signed.digest.toString()) }
}

function signedOf({ der, digest, publicKey }: ChosenSignature): SignedDigest {
  return { signature: der, digest, publicKey }
}

/** Of a key in its place that signs often, in turn: valid, a high s, forged, malformed; and of keys that do not. */
function mixedBatch(count: number, keys: readonly TestKey[]): SignedDigest[] {
  const malformedKeys = Object.values(notPublicKeys)
  return Array.from({ length: count }, (_, i) => {
    const thrown = throwDice()
    const key = keys[Number((thrown >> 8n) % BigInt(keys.length))] ?? frequentKey
    const good = sign(`mixed ${i}`, key, thrown % 2n === 0n ? 'low' : 'high')
    switch (Number((thrown >> 16n) % 8n)) {
      case 0:
        return forge(good)
      case 1:
        return { ...good, signature: good.signature.subarray(0, Number((thrown >> 24n) % 70n)) }
      case 2:
        return { ...good, signature: Buffer.concat([good.signature, Buffer.alloc(1)]) }
      case 3:
        return sign(`unknown ${i}`, testKey(`unknown ${i}`))
      case 4:
        return { ...good, publicKey: Buffer.from(malformedKeys[i % malformedKeys.length] ?? '', 'hex') }
      default:
        return good
    }
  })
}

for (const name of names) {
  describe(`a verifier with tables and the engine ${name}`, () => {
    test('verifies with the table of a key that signed often, without the engine', () => {
      const engine = new TalkativeEngine(name)
      const verifier = verifierWith(engine, [frequentKey])
      engine.isWrong = true
      const all = signatures(frequentKey, 70, 'later').flatMap((signed) => [signed, forge(signed)])
      assertRight(verifier, [...all, sign('high', frequentKey, 'high')])
      assert.equal(engine.asked, 0)
      // Of any other key the engine is asked.
      const others = signatures(testKey('rare'), 4)
      assert.deepEqual(verifier.verifyAll([...all, ...others]).slice(-4), Array(4).fill(false))
      assert.equal(engine.asked, 4)
    })

    test('asks the engine about too few to be worth it', () => {
      const engine = new TalkativeEngine(name)
      const verifier = verifierWith(engine, [frequentKey])
      const batchLimit = 64
      for (const count of [1, 2, 3, 4, batchLimit, batchLimit + 1, batchLimit + 2, batchLimit + 3, 2 * batchLimit]) {
        engine.asked = 0
        assertRight(verifier, signatures(frequentKey, count, 'few'))
        const rest = count % batchLimit
        assert.equal(engine.asked, rest < WORTH[name] ? rest : 0, `${count}`)
      }
    })

    test('asks the engine about what the tables do not decide', () => {
      const engine = new TalkativeEngine(name)
      // Row 7 of this key's table has the points of the generator's row 0, and both scalars have their first digit there.
      const secret = inverse(2n ** 49n)
      const u1 = 2n ** 200n + 2n ** 11n + 1n
      const u2 = ((2n ** 7n + 1n) << 49n) + 1n
      const undecided = chooseSignature(secret, u1, u2)
      const verifier = new Verifier(engine, 1)
      const decided = Array.from({ length: NEEDED }, () => {
        return signedOf(chooseSignature(secret, (throwDice() % (ORDER - 1n)) + 1n, (throwDice() % (ORDER - 1n)) + 1n))
      })
      assertRight(verifier, decided)
      engine.asked = 0
      const all = [...decided, signedOf(undecided), ...decided.slice(1).map(forge)]
      assertRight(verifier, all)
      assert.equal(engine.asked, 1)
      engine.isWrong = true
      assert.deepEqual(
        verifier.verifyAll(all),
        rightVerdicts(all).map((verdict, i) => (i === NEEDED ? !verdict : verdict)),
      )
    })

    test('judges like the engine alone, whatever comes together', () => {
      const engine = new TalkativeEngine(name)
      const keys = [frequentKey, testKey('frequent 2'), testKey('frequent 3')]
      const verifier = verifierWith(engine, keys.slice(0, 2))
      for (const size of [0, 1, 2, 3, 5, 16, 100, 129]) assertRight(verifier, mixedBatch(size, keys), `${size}`)
    })

    test('judges a key rightly before, when and after it gets a table, and others in the same batch', () => {
      const engine = new TalkativeEngine(name)
      const verifier = new Verifier(engine, 2)
      const [a, b] = [testKey('a'), testKey('b')]
      for (let round = 0; round < 12; round++) {
        const together = [...signatures(a, 5, `${round}`), ...signatures(b, 5, `${round}`)]
        assertRight(verifier, [...together, ...together.map(forge)], `round ${round}`)
      }
      engine.isWrong = true
      assertRight(verifier, [...signatures(a, 3, 'end'), ...signatures(b, 3, 'end').map(forge)])
    })

    test('judges rightly when tables go from key to key, also while signatures of the old key are in the batch', () => {
      const engine = new TalkativeEngine(name)
      const [a, b] = [testKey('a'), testKey('b')]
      const verifier = verifierWith(engine, [a], 1)
      // So many of b that it takes the only table, with signatures of a before them and at the end of the next batch.
      const ofA = signatures(a, 4, 'old')
      const ofB = signatures(b, NEEDED, 'new')
      assertRight(verifier, [...ofA, ...ofA.map(forge), ...ofB])
      engine.isWrong = true
      assertRight(verifier, [...ofB, ...ofB.map(forge)])
      engine.isWrong = false
      assertRight(verifier, [...ofB, ...ofA, ...ofB.map(forge), ...ofA.map(forge)])
    })

    test('makes a table for a key with so many valid signatures', () => {
      const engine = new TalkativeEngine(name)
      const verifier = new Verifier(engine, 1)
      const needed = NEEDED_BY[name]
      const [first, ...rest] = signatures(frequentKey, needed)
      assertRight(verifier, rest)
      assertRight(verifier, rest.map(forge))
      assert.equal(engine.asked, 2 * (needed - 1))
      assertRight(verifier, [first ?? assert.fail()])
      assert.equal(engine.asked, 2 * needed - 1)
      assertRight(verifier, rest)
      assert.equal(engine.asked, 2 * needed - 1)
    })

    test('with no tables asks the engine about all', () => {
      const engine = new TalkativeEngine(name)
      const verifier = new Verifier(engine, 0)
      for (let round = 0; round < 3; round++) assertRight(verifier, signatures(frequentKey, NEEDED))
      assert.equal(engine.asked, 3 * NEEDED)
    })
  })
}
