import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { describe, test } from 'node:test'
import { Verifier } from '../../src/verify/verifier.js'
import type { SignedDigest } from '../../src/verify/wire.js'
import { signDer, testKey } from '../support/signing.js'
import { rightVerdicts, TalkativeEngine } from '../support/talkative-engine.js'

/** Valid signatures after which a key has a table. */
const NEEDED = 32

function signatures(name: string, count: number): SignedDigest[] {
  const key = testKey(name)
  return Array.from({ length: count }, (_, i) => ({
    signature: signDer(Buffer.from(`${i}`), key),
    digest: createHash('sha256').update(`${i}`).digest(),
    publicKey: key.publicKey,
  }))
}

function assertEngineAlone(verifier: Verifier, engine: TalkativeEngine): void {
  const batch = [...signatures('a', NEEDED), ...signatures('b', NEEDED)]
  const forged = batch.map((signed, i) => ({ ...signed, digest: batch[i + 1]?.digest ?? Buffer.alloc(32) }))
  for (let round = 0; round < 3; round++) {
    engine.asked = 0
    const all = [...batch, ...forged]
    assert.deepEqual(verifier.verifyAll(all), rightVerdicts(all), `round ${round}`)
    assert.equal(engine.asked, all.length)
  }
}

describe('a verifier whose tables fail throws once, and then asks the engine about all', () => {
  test('when they judge a known signature wrongly', () => {
    const engine = new TalkativeEngine('noble')
    const right = engine.uncompress
    engine.uncompress = () => right(testKey('a').publicKey)
    const verifier = new Verifier(engine, 4)
    assert.throws(() => verifier.verifyAll(signatures('a', NEEDED)), /judged wrongly/)
    assertEngineAlone(verifier, engine)
  })

  test('when there is no memory for them', () => {
    const engine = new TalkativeEngine('noble')
    const verifier = new Verifier(engine, 100_000)
    assert.throws(() => verifier.verifyAll(signatures('a', NEEDED)), /no memory/)
    assertEngineAlone(verifier, engine)
  })

  test('when one cannot be made', () => {
    const engine = new TalkativeEngine('noble')
    const right = engine.uncompress
    const verifier = new Verifier(engine, 4)
    verifier.verifyAll(signatures('a', NEEDED))
    engine.uncompress = (key) => right(key).subarray(1)
    assert.throws(() => verifier.verifyAll(signatures('b', NEEDED)), RangeError)
    assertEngineAlone(verifier, engine)
  })

  test('when they cannot be asked, which leaves nothing behind for the signatures that come next', () => {
    const engine = new TalkativeEngine('noble')
    const verifier = new Verifier(engine, 4)
    const all = signatures('a', NEEDED)
    verifier.verifyAll(all)
    const [first] = all
    assert.ok(first !== undefined)
    const forged = { ...first, digest: Buffer.alloc(32) }
    assert.throws(() => verifier.verifyAll([forged, forged, { ...first, digest: Buffer.alloc(31) }]), RangeError)
    assertEngineAlone(verifier, engine)
  })
})
