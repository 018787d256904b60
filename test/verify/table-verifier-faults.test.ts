import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { describe, type TestContext, test } from 'node:test'
import { compileKeyTables, KeyTables, type TableVerdict } from '../../src/verify/key-tables.js'
import { TableVerifier } from '../../src/verify/table-verifier.js'
import type { SignedDigest } from '../../src/verify/wire.js'
import { signDer, testKey } from '../support/signing.js'
import { rightVerdicts, TalkativeEngine } from '../support/talkative-engine.js'

/** Valid signatures after which a key has a table. */
const NEEDED = 32
/** Of so many valid verdicts of the tables, the engine confirms one. */
const CONFIRMED = 64
const code = await compileKeyTables()

function signatures(name: string, count: number): SignedDigest[] {
  const key = testKey(name)
  return Array.from({ length: count }, (_, i) => ({
    signature: signDer(Buffer.from(`${i}`), key),
    digest: createHash('sha256').update(`${i}`).digest(),
    publicKey: key.publicKey,
  }))
}

function forge(signed: SignedDigest): SignedDigest {
  return { ...signed, digest: createHash('sha256').update(signed.digest).digest() }
}

/** A verifier with a table for key a. */
function verifierOfA(engine: TalkativeEngine): TableVerifier {
  const verifier = new TableVerifier(engine, code, 4)
  assert.equal(verifier.verifyAll(signatures('a', NEEDED), true).complaint, null)
  return verifier
}

/** Every verdict is right, the failure is told, and from then on the engine is asked about all. */
function assertDropped(verifier: TableVerifier, engine: TalkativeEngine, all: SignedDigest[], complaint: RegExp): void {
  const judgement = verifier.verifyAll(all, true)
  assert.deepEqual(judgement.valid, rightVerdicts(all))
  assert.match(judgement.complaint ?? 'none', complaint)
  const later = [...signatures('a', NEEDED), ...signatures('b', NEEDED), ...signatures('a', NEEDED).map(forge)]
  for (let round = 0; round < 3; round++) {
    engine.asked = 0
    assert.deepEqual(verifier.verifyAll(later, true), { valid: rightVerdicts(later), complaint: null })
    assert.equal(engine.asked, later.length)
  }
}

/** Lets the tables judge, and changes their verdicts. */
function mockVerdicts(t: TestContext, change: (verdict: TableVerdict, i: number) => TableVerdict): void {
  const judge = KeyTables.prototype.verify
  t.mock.method(KeyTables.prototype, 'verify', function (this: KeyTables) {
    return judge.call(this).map(change)
  })
}

for (const name of ['libsecp256k1', 'noble'] as const) {
  describe(`tables that fail beside the engine ${name} are dropped for good`, () => {
    test('when they find a valid signature invalid', (t) => {
      const engine = new TalkativeEngine(name)
      const verifier = verifierOfA(engine)
      mockVerdicts(t, (verdict, i) => (i === 17 ? 'invalid' : verdict))
      assertDropped(verifier, engine, signatures('a', NEEDED), /contradicts the verdict invalid/)
    })

    test('when they find forgeries valid, with the 64th at the latest', (t) => {
      const engine = new TalkativeEngine(name)
      const verifier = verifierOfA(engine)
      mockVerdicts(t, () => 'valid')
      assertDropped(verifier, engine, signatures('a', CONFIRMED).map(forge), /contradicts the verdict valid/)
    })

    test('when a new one does not find the signature valid that earned it', (t) => {
      const engine = new TalkativeEngine(name)
      const verifier = verifierOfA(engine)
      const right = engine.uncompress
      engine.uncompress = () => right(testKey('somebody else').publicKey)
      t.after(() => {
        engine.uncompress = right
      })
      assertDropped(verifier, engine, signatures('b', NEEDED), /new table contradicts/)
    })

    test('when they judge a known signature wrongly', (t) => {
      const engine = new TalkativeEngine(name)
      mockVerdicts(t, (verdict, i) => (i === 5 ? 'valid' : verdict))
      const verifier = new TableVerifier(engine, code, 4)
      assertDropped(verifier, engine, signatures('a', NEEDED), /known signature was judged wrongly/)
    })

    test('when there is no memory for them', () => {
      const engine = new TalkativeEngine(name)
      const verifier = new TableVerifier(engine, code, 100_000)
      assertDropped(verifier, engine, signatures('a', NEEDED), /no memory/)
    })

    test('when one cannot be made', () => {
      const engine = new TalkativeEngine(name)
      const verifier = verifierOfA(engine)
      const right = engine.uncompress
      engine.uncompress = (key) => right(key).subarray(1)
      assertDropped(verifier, engine, signatures('b', NEEDED), /65 bytes/)
    })

    test('when their code traps', (t) => {
      const engine = new TalkativeEngine(name)
      const verifier = verifierOfA(engine)
      t.mock.method(KeyTables.prototype, 'verify', () => {
        throw new Error('unreachable')
      })
      assertDropped(verifier, engine, signatures('a', NEEDED), /unreachable/)
    })
  })
}

test('a defect of a caller is thrown, and the tables stay', () => {
  const engine = new TalkativeEngine('noble')
  const verifier = verifierOfA(engine)
  const [first] = signatures('b', 1)
  assert.ok(first !== undefined)
  assert.throws(() => verifier.verifyAll([{ ...first, digest: Buffer.alloc(31) }], true), RangeError)
  engine.asked = 0
  const all = signatures('a', NEEDED)
  assert.deepEqual(verifier.verifyAll(all, true), { valid: rightVerdicts(all), complaint: null })
  assert.ok(engine.asked <= 1)
})
