import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { describe, test } from 'node:test'
import type { Secp256k1EngineName } from '../../src/crypto/secp256k1.js'
import { compileKeyTables } from '../../src/verify/key-tables.js'
import { TableVerifier } from '../../src/verify/table-verifier.js'
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
const code = await compileKeyTables()
/** Of so many valid verdicts of the tables, the engine confirms one. */
const CONFIRMED = 64
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

/** A verifier with tables for these keys. */
function verifierWith(engine: TalkativeEngine, keys: readonly TestKey[], limit = 4): TableVerifier {
  const verifier = new TableVerifier(engine, code, limit)
  for (const key of keys) assertRight(verifier, signatures(key, NEEDED))
  engine.asked = 0
  return verifier
}

/** Whether the engine is asked about next to none of a key's signatures. */
function hasTable(verifier: TableVerifier, engine: TalkativeEngine, key: TestKey): boolean {
  const before = engine.asked
  assertRight(verifier, signatures(key, 5, 'probe'))
  return engine.asked - before <= 1
}

function assertRight(verifier: TableVerifier, all: readonly SignedDigest[], context = ''): void {
  assert.deepEqual(verifier.verifyAll(all, true), { valid: rightVerdicts(all), complaint: null }, context)
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
    test('asks the engine about each forgery and one in 64 valid signatures of a key with a table, and about all of others', () => {
      const engine = new TalkativeEngine(name)
      const verifier = verifierWith(engine, [frequentKey])
      const all = signatures(frequentKey, 10 * CONFIRMED, 'later')
      assertRight(verifier, all)
      assert.equal(engine.asked, 10)
      engine.asked = 0
      assertRight(verifier, all.slice(0, CONFIRMED - 1).map(forge))
      assert.equal(engine.asked, CONFIRMED - 1)
      engine.asked = 0
      assertRight(verifier, signatures(testKey('rare'), 4))
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
        const confirmations = 1 + Math.floor(count / CONFIRMED)
        assert.ok(engine.asked <= (rest < WORTH[name] ? rest : 0) + confirmations, `${count}: ${engine.asked}`)
        assert.ok(engine.asked >= (rest < WORTH[name] ? rest : 0), `${count}: ${engine.asked}`)
      }
    })

    test('asks the engine about what the tables do not decide', () => {
      const engine = new TalkativeEngine(name)
      // Row 7 of this key's table has the points of the generator's row 0, and both scalars have their first digit there.
      const secret = inverse(2n ** 49n)
      const u1 = 2n ** 200n + 2n ** 11n + 1n
      const u2 = ((2n ** 7n + 1n) << 49n) + 1n
      const undecided = chooseSignature(secret, u1, u2)
      const verifier = new TableVerifier(engine, code, 1)
      const decided = Array.from({ length: NEEDED }, () => {
        return signedOf(chooseSignature(secret, (throwDice() % (ORDER - 1n)) + 1n, (throwDice() % (ORDER - 1n)) + 1n))
      })
      assertRight(verifier, decided)
      engine.asked = 0
      // None of the valid ones is the 64th after a confirmation.
      assertRight(verifier, [signedOf(undecided), ...decided.slice(1, 4), forge(signedOf(undecided))])
      assert.equal(engine.asked, 2)
    })

    test('judges like the engine alone, whatever comes together', () => {
      const engine = new TalkativeEngine(name)
      const keys = [frequentKey, testKey('frequent 2'), testKey('frequent 3')]
      const verifier = verifierWith(engine, keys.slice(0, 2))
      for (const size of [0, 1, 2, 3, 5, 16, 100, 129]) assertRight(verifier, mixedBatch(size, keys), `${size}`)
    })

    test('judges a key rightly before, when and after it gets a table, and others in the same batch', () => {
      const engine = new TalkativeEngine(name)
      const verifier = new TableVerifier(engine, code, 2)
      const [a, b] = [testKey('a'), testKey('b')]
      for (let round = 0; round < 12; round++) {
        const together = [...signatures(a, 5, `${round}`), ...signatures(b, 5, `${round}`)]
        assertRight(verifier, [...together, ...together.map(forge)], `round ${round}`)
      }
      for (const key of [a, b]) assert.ok(hasTable(verifier, engine, key))
    })

    test('judges rightly when tables go from key to key, also while signatures of the old key are in the batch', () => {
      const engine = new TalkativeEngine(name)
      const [a, b] = [testKey('a'), testKey('b')]
      const verifier = verifierWith(engine, [a], 1)
      const ofA = signatures(a, 4, 'old')
      const ofB = signatures(b, NEEDED, 'new')
      assert.ok(hasTable(verifier, engine, a))
      // b takes the only table in one of these batches, with signatures of a on both sides of it.
      for (let round = 0; round < 8; round++) assertRight(verifier, [...ofA, ...ofA.map(forge), ...ofB, ...ofA])
      assert.ok(hasTable(verifier, engine, b))
      assertRight(verifier, [...ofB, ...ofA, ...ofB.map(forge), ...ofA.map(forge)])
    })

    test('makes a table for a key with so many valid signatures', () => {
      const engine = new TalkativeEngine(name)
      const verifier = new TableVerifier(engine, code, 1)
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

    test('asks the engine about all, for good, once it was told not to use tables', () => {
      const engine = new TalkativeEngine(name)
      const verifier = verifierWith(engine, [frequentKey])
      assert.ok(hasTable(verifier, engine, frequentKey))
      const all = signatures(frequentKey, NEEDED)
      engine.asked = 0
      assert.deepEqual(verifier.verifyAll(all, false), { valid: rightVerdicts(all), complaint: null })
      assertRight(verifier, all)
      assert.equal(engine.asked, 2 * NEEDED)
    })
  })
}
