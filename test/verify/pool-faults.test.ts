import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, type TestContext, test } from 'node:test'
import type { VerifyPool } from '../../src/verify/pool.js'
import type { VerifyRequest } from '../../src/verify/wire.js'
import { signRequest, testKey } from '../support/signing.js'
import { startVerifyPool } from '../support/verify-pool.js'

const TAG = 'POST /api/invoices'
const TIMESTAMP = '1700000000000'
const key = testKey('faults')
const valid = signed('{}')

function signed(body: string): VerifyRequest {
  const signature = signRequest(key, TAG, TIMESTAMP, body)
  return { publicKey: key.publicKey, signature, routeTag: TAG, timestamp: TIMESTAMP, body: Buffer.from(body) }
}

interface Setup {
  readonly pool: VerifyPool
  /** What the pool reported, oldest first. */
  readonly errors: Error[]
}

function startPool(t: TestContext, worker: string, threads = 1, batchTimeLimitMs = 60_000): Setup {
  const errors: Error[] = []
  const pool = startVerifyPool({
    threads,
    batchTimeLimitMs,
    onWorkerError: (error) => void errors.push(error),
    worker: new URL(worker, import.meta.url),
  })
  t.after(() => pool.close())
  return { pool, errors }
}

async function verify(pool: VerifyPool, request: VerifyRequest): Promise<boolean> {
  const verdict = pool.verify(request, 'registered', () => '')
  if (!(verdict instanceof Promise)) throw new Error(`rejected: ${verdict}`)
  return verdict
}

/** Each is met by a request whose signature is valid, so that only the fault keeps it from being accepted. */
const faults: Readonly<Record<string, string>> = {
  'whose worker exits': 'exit',
  'whose worker throws': 'throw',
  'whose worker rejects': 'throw later',
  'whose worker dies of an uncaught exception': 'uncaught',
  'answered with too few verdicts': 'too few',
  'answered with too many verdicts': 'too many',
  'answered with bytes that are no verdicts': 'ones',
  'answered with true': 'true',
  'answered with an array': 'array',
  'answered with nothing': 'nothing',
}

describe('a batch', () => {
  for (const [name, fault] of Object.entries(faults)) {
    test(`${name} is tried twice, then rejected, and the pool goes on`, { timeout: 30_000 }, async (t) => {
      const { pool, errors } = startPool(t, './faulty-worker.js')
      await pool.warmUp()
      await assert.rejects(verify(pool, signed(`FAULT ${fault}`)), (error) => {
        return error instanceof Error && error.cause !== undefined && /could not be verified/.test(error.message)
      })
      assert.equal(errors.filter((error) => /could not be verified/.test(error.message)).length, 2)
      assert.equal(await verify(pool, valid), true)
      assert.equal(await verify(pool, { ...valid, body: Buffer.from('{ }') }), false)
      assert.deepEqual(pool.depth(), { registered: 0, unregistered: 0, inFlight: 0 })
    })
  }

  test('whose first worker exits is verified by the next', { timeout: 30_000 }, async (t) => {
    const directory = mkdtempSync(join(tmpdir(), 'billhook-verify-'))
    t.after(() => rmSync(directory, { recursive: true, force: true }))
    const { pool, errors } = startPool(t, './faulty-worker.js', 2)
    await pool.warmUp()
    const fatal = signed(`FAULT exit once:${join(directory, 'exited')};`)
    const requests = [fatal, valid, { ...valid, body: Buffer.from('{ }') }, valid]
    assert.deepEqual(await Promise.all(requests.map((request) => verify(pool, request))), [true, true, false, true])
    assert.equal(errors.length, 1)
    assert.equal(pool.ready(), true)
  })

  test('that fails takes down only the requests that shared it', { timeout: 30_000 }, async (t) => {
    const { pool } = startPool(t, './faulty-worker.js', 2)
    await pool.warmUp()
    const fatal = verify(pool, signed('FAULT exit'))
    // In a later turn of the event loop, hence in another batch.
    await new Promise((resolve) => setImmediate(resolve))
    const others = Array.from({ length: 20 }, (_, i) =>
      verify(pool, i % 2 === 0 ? valid : { ...valid, timestamp: '1' }),
    )
    await assert.rejects(fatal)
    assert.deepEqual(
      await Promise.all(others),
      others.map((_, i) => i % 2 === 0),
    )
  })

  test('whose worker hangs is given up, and the threads are replaced', { timeout: 60_000 }, async (t) => {
    const { pool, errors } = startPool(t, './faulty-worker.js', 1, 2_000)
    await pool.warmUp()
    await assert.rejects(verify(pool, signed('FAULT hang')), (error) => {
      return error instanceof Error && error.cause instanceof Error && /longer than 2000 ms/.test(error.cause.message)
    })
    assert.ok(errors.length >= 2)
    assert.equal(await verify(pool, valid), true)
  })

  test('that fails twice makes the pool unready until a probe succeeds', { timeout: 30_000 }, async (t) => {
    const { pool } = startPool(t, './faulty-worker.js')
    await pool.warmUp()
    await assert.rejects(verify(pool, signed('FAULT throw')))
    assert.equal(pool.ready(), false)
    // The probe went to the thread before this request, so it has been answered before it.
    assert.equal(await verify(pool, valid), true)
    assert.equal(pool.ready(), true)
  })
})

describe('a verify pool whose workers do not start', () => {
  test('says so when warmed up, and closes', { timeout: 30_000 }, async (t) => {
    const { pool, errors } = startPool(t, './unstartable-worker.js', 2)
    await assert.rejects(pool.warmUp(), /does not start/)
    assert.equal(pool.ready(), false)
    await pool.close()
    assert.ok(errors.every((error) => error instanceof Error))
  })

  test('rejects requests instead of keeping them for ever', { timeout: 30_000 }, async (t) => {
    const { pool } = startPool(t, './unstartable-worker.js', 1, 1_000)
    await assert.rejects(verify(pool, valid))
    await assert.rejects(verify(pool, valid))
    assert.equal(pool.ready(), false)
  })
})
