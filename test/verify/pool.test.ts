import assert from 'node:assert/strict'
import { describe, type TestContext, test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import type { Rejection, VerifyLaneName } from '../../src/verify/lanes.js'
import { type BatchThreads, VerifyPool, type VerifyPoolSettings } from '../../src/verify/pool.js'
import { type BatchVerifier, type VerifyRequest, verifyBatch } from '../../src/verify/wire.js'
import { ManualScheduler } from '../support/manual-scheduler.js'
import { signRequest, testKey } from '../support/signing.js'
import { type RealPoolSettings, startVerifyPool } from '../support/verify-pool.js'

const TAG = 'POST /api/invoices'
const TIMESTAMP = '1700000000000'
const key = testKey('pool')
const noClient = () => ''

function startPool(t: TestContext, settings: RealPoolSettings = {}): VerifyPool {
  const pool = startVerifyPool(settings)
  t.after(() => pool.close())
  return pool
}

function signed(body: string, signer = key): VerifyRequest {
  const signature = signRequest(signer, TAG, TIMESTAMP, body)
  return { publicKey: signer.publicKey, signature, routeTag: TAG, timestamp: TIMESTAMP, body: Buffer.from(body) }
}

/** A request that costs a worker nearly nothing: its signature is no DER. */
function malformed(name: string): VerifyRequest {
  return { ...valid, signature: 'AAAA', body: Buffer.from(name) }
}

function accepted(verdict: Promise<boolean> | Rejection): Promise<boolean> {
  if (!(verdict instanceof Promise)) throw new Error(`rejected: ${verdict}`)
  return verdict
}

const valid = signed('{}')

describe('the verify pool', () => {
  test('tells valid requests from all others', async (t) => {
    const pool = startPool(t)
    const unsigned = { ...valid, signature: '' }
    const cases: [string, VerifyRequest, boolean][] = [
      ['as signed', valid, true],
      ['an empty body', signed(''), true],
      ['a body that is not ASCII', signed('{"name":"Größe €"}'), true],
      ['a body of 64 KiB', signed('x'.repeat(64 * 1024)), true],
      ['without padding', { ...valid, signature: valid.signature.replaceAll('=', '') }, true],
      ['another body', { ...valid, body: Buffer.from('{ }') }, false],
      ['another timestamp', { ...valid, timestamp: '1700000000001' }, false],
      ['another tag', { ...valid, routeTag: 'POST /api/api-keys' }, false],
      ['parts shifted over a line feed', { ...valid, timestamp: '', routeTag: `${TAG}\n${TIMESTAMP}` }, false],
      ['another key', { ...valid, publicKey: testKey('other').publicKey }, false],
      ['a key off the curve', { ...valid, publicKey: Buffer.from(`02${'5'.padStart(64, '0')}`, 'hex') }, false],
      ['a key with another prefix', { ...valid, publicKey: Buffer.alloc(33, 4) }, false],
      ['no signature', unsigned, false],
      ['white space', { ...valid, signature: ` ${valid.signature}` }, false],
      ['a signature that is not base64', { ...valid, signature: '\u{1f511}é=' }, false],
      ['a signature in hex', { ...valid, signature: Buffer.from(valid.signature, 'base64').toString('hex') }, false],
      ['a signature that is far too long', { ...valid, signature: valid.signature.repeat(1000) }, false],
    ]
    for (const [name, request, verdict] of cases) {
      assert.equal(await accepted(pool.verify(request, 'registered', noClient)), verdict, name)
      assert.equal(await accepted(pool.verify(request, 'unregistered', noClient)), verdict, name)
    }
    assert.deepEqual(pool.depth(), { registered: 0, unregistered: 0, inFlight: 0 })
  })

  test('gives each of thousands of concurrent requests its own verdict', async (t) => {
    const pool = startPool(t, { threads: 2, engine: 'noble', batchLimit: 64 })
    const requests = Array.from({ length: 12 }, (_, i) => signed(`{"name":"${i}"}`, testKey(`pool ${i}`)))
    const verdicts: Promise<void>[] = []
    for (let i = 0; i < 3000; i++) {
      const request = requests[i % requests.length] ?? valid
      // Mostly malformed, because noble needs a millisecond for each of the others.
      const kind = i % 10 === 0 ? 'valid' : i % 10 === 5 && i % 3 === 0 ? 'other body' : 'malformed'
      const sent =
        kind === 'valid'
          ? request
          : kind === 'malformed'
            ? malformed(`${i}`)
            : { ...request, body: Buffer.from(`{"name":"${i} forged"}`) }
      const verdict = accepted(pool.verify(sent, i % 7 === 0 ? 'unregistered' : 'registered', noClient))
      verdicts.push(verdict.then((actual) => assert.equal(actual, kind === 'valid', `request ${i}, ${kind}`)))
      // Some arrive together, some in later turns of the event loop.
      if (i % 100 === 0) await setImmediate()
    }
    await Promise.all(verdicts)
  })

  test('throws for a key that is not 33 bytes', (t) => {
    const pool = startPool(t)
    for (const length of [0, 32, 34, 65]) {
      assert.throws(
        () => pool.verify({ ...valid, publicKey: Buffer.alloc(length) }, 'registered', noClient),
        RangeError,
      )
    }
  })

  test('is ready once every thread has verified, and not when closing', async (t) => {
    const pool = startPool(t, { threads: 2 })
    assert.equal(pool.ready(), false)
    await pool.warmUp()
    assert.equal(pool.ready(), true)
    const closed = pool.close()
    assert.equal(pool.ready(), false)
    await closed
  })
})

const allValid: BatchVerifier = { verifyAll: (all) => ({ valid: all.map(() => true), complaint: null }) }

/** Threads that answer when the test says so. */
class ManualThreads implements BatchThreads {
  /** Batches that wait for their answer. */
  readonly waiting: { readonly batch: ArrayBuffer; readonly answer: (answer: unknown) => void }[] = []
  isClosed = false

  run(batch: ArrayBuffer): Promise<unknown> {
    return new Promise((answer) => {
      this.waiting.push({ batch, answer })
    })
  }

  async close(): Promise<void> {
    this.isClosed = true
  }

  /** Sizes of the batches that wait. */
  get sizes(): number[] {
    return this.waiting.map(({ batch }) => new DataView(batch).getUint32(0, true))
  }

  /** Answers the oldest batch: everything is valid, and took no time. */
  async answer(): Promise<void> {
    const { batch, answer } = this.waiting.shift() ?? assert.fail('no batch waits')
    answer(verifyBatch(batch, allValid))
    await setImmediate()
  }
}

describe('the dispatch of a verify pool', () => {
  function manualPool(settings: Partial<VerifyPoolSettings> = {}) {
    const threads = new ManualThreads()
    const scheduler = new ManualScheduler()
    const lanes = { registeredLaneLimit: 1_000, unregisteredLaneLimit: 1_000, laneLimitBytes: 1024 * 1024 }
    const onFailure = () => assert.fail('nothing failed')
    const pool = new VerifyPool(
      {
        threads: 1,
        batchLimit: 8,
        ...lanes,
        onWorkerError: onFailure,
        onTablesFailed: onFailure,
        scheduler,
        ...settings,
      },
      threads,
    )
    const send = (count: number, lane: VerifyLaneName = 'registered') =>
      Array.from({ length: count }, () => accepted(pool.verify(valid, lane, noClient)))
    return { pool, threads, scheduler, send }
  }

  test('does not start without threads or with batches that the lanes could not share', () => {
    for (const settings of [{ threads: 0 }, { threads: 1.5 }, { batchLimit: 1 }, { batchLimit: Number.NaN }]) {
      assert.throws(() => manualPool(settings), RangeError)
    }
  })

  test('sends what came in one turn of the event loop as one batch', async () => {
    const { threads, send } = manualPool()
    send(5)
    assert.deepEqual(threads.sizes, [])
    await setImmediate()
    assert.deepEqual(threads.sizes, [5])
  })

  test('does not let a full batch wait, fills the inbox of a thread only with a full one, and gathers the rest', async () => {
    const { pool, threads, send } = manualPool()
    send(8)
    assert.deepEqual(threads.sizes, [8])
    send(3)
    await setImmediate()
    assert.deepEqual(threads.sizes, [8])
    send(6)
    await setImmediate()
    assert.deepEqual(threads.sizes, [8, 8])
    send(4)
    await setImmediate()
    assert.deepEqual(pool.depth(), { registered: 5, unregistered: 0, inFlight: 16 })
    await threads.answer()
    assert.deepEqual(threads.sizes, [8])
    await threads.answer()
    assert.deepEqual(threads.sizes, [5])
  })

  test('shares what waits among idle threads', async () => {
    const { threads, send } = manualPool({ threads: 2 })
    send(6)
    await setImmediate()
    assert.deepEqual(threads.sizes, [3, 3])
  })

  test('comes back to throttled requests when their time has come, and not before', async () => {
    let nowMs = 0
    const { threads, scheduler, send } = manualPool({ now: () => nowMs })
    const answerAfter = async (ms: number) => {
      const { batch, answer } = threads.waiting.shift() ?? assert.fail('no batch waits')
      answer({ ...verifyBatch(batch, allValid), tookMs: ms })
      await setImmediate()
    }
    send(1)
    await setImmediate()
    await answerAfter(4)
    send(2, 'unregistered')
    await setImmediate()
    assert.deepEqual(threads.sizes, [1])
    await answerAfter(4)
    // 2 ms are owed, which takes 32 ms at a sixteenth of the time.
    assert.deepEqual([threads.sizes, scheduler.pending], [[], 1])
    nowMs = 33
    scheduler.pass(32)
    assert.deepEqual(threads.sizes, [1])
  })

  test('measures how long each request waited, and in which lane', async () => {
    let nowMs = 0
    const measured: [VerifyLaneName, number][] = []
    const { send } = manualPool({
      now: () => nowMs,
      observer: { waited: (lane, waitMs) => measured.push([lane, waitMs]), tablesFailed: () => {} },
    })
    for (const lane of ['unregistered', 'registered', 'registered', 'unregistered'] as const) {
      send(1, lane)
      nowMs += 10
    }
    nowMs = 100
    await setImmediate()
    assert.deepEqual(measured, [
      ['registered', 90],
      ['registered', 80],
      ['unregistered', 100],
      ['unregistered', 70],
    ])
  })

  test('answers what waits when closing, throttled or not, and ends the threads afterwards', async () => {
    const { pool, threads, send } = manualPool({ batchLimit: 2 })
    const verdicts = [...send(5), ...send(4, 'unregistered')]
    const closed = pool.close()
    assert.equal(pool.verify(valid, 'registered', noClient), 'overloaded')
    while (threads.waiting.length > 0) {
      assert.equal(threads.isClosed, false)
      await threads.answer()
    }
    await closed
    assert.equal(threads.isClosed, true)
    assert.deepEqual(await Promise.all(verdicts), Array(9).fill(true))
  })
})

describe('closing the verify pool', () => {
  test('answers what was accepted and accepts nothing more', async () => {
    const pool = startVerifyPool({ threads: 2, batchLimit: 4 })
    const verdicts = Array.from({ length: 50 }, (_, i) => {
      const request = i % 10 === 0 ? valid : malformed(`${i}`)
      return accepted(pool.verify(request, i % 2 === 0 ? 'registered' : 'unregistered', noClient))
    })
    const closed = pool.close()
    assert.equal(pool.verify(valid, 'registered', noClient), 'overloaded')
    assert.equal(pool.close(), closed)
    await closed
    assert.deepEqual(pool.depth(), { registered: 0, unregistered: 0, inFlight: 0 })
    assert.deepEqual(
      await Promise.all(verdicts),
      Array.from({ length: 50 }, (_, i) => i % 10 === 0),
    )
  })

  test('ends a pool that never worked', async () => {
    await startVerifyPool().close()
  })
})
