import assert from 'node:assert/strict'
import { describe, type TestContext, test } from 'node:test'
import { chooseEngine } from '../../src/verify/engine-choice.js'
import { createVerifyPool, type VerifyPool, type VerifyPoolSettings } from '../../src/verify/pool.js'
import type { VerifyRequest } from '../../src/verify/wire.js'
import { signRequest, testKey } from '../support/signing.js'

const TAG = 'POST /api/invoices'
const TIMESTAMP = '1700000000000'
const key = testKey('pool with tables')
const requests = Array.from({ length: 300 }, (_, i) => signed(`{"name":"${i}"}`))

function startPool(t: TestContext, settings: Partial<VerifyPoolSettings>): VerifyPool {
  const lanes = { registeredLaneLimit: 10_000, unregisteredLaneLimit: 10_000, laneLimitBytes: 64 * 1024 * 1024 }
  const failed: Error[] = []
  const pool = createVerifyPool({
    threads: 1,
    engine: 'noble',
    keyTables: 2,
    batchLimit: 32,
    ...lanes,
    onWorkerError: (error) => failed.push(error),
    ...settings,
  })
  t.after(async () => {
    await pool.close()
    assert.deepEqual(failed, [])
  })
  return pool
}

function signed(body: string): VerifyRequest {
  const signature = signRequest(key, TAG, TIMESTAMP, body)
  return { publicKey: key.publicKey, signature, routeTag: TAG, timestamp: TIMESTAMP, body: Buffer.from(body) }
}

function verify(pool: VerifyPool, request: VerifyRequest, client: string): Promise<boolean> {
  const verdict = pool.verify(request, 'registered', () => client)
  if (!(verdict instanceof Promise)) throw new Error(`Turned away: ${verdict}.`)
  return verdict
}

/** Every request, and two forgeries of every third one: another body, and another's name. */
async function assertVerdicts(pool: VerifyPool, context: string): Promise<void> {
  const other = testKey('no owner of a table')
  const verdicts = requests.flatMap((request, i) => {
    const forgeries = [
      { ...request, body: Buffer.from('{}') },
      { ...request, publicKey: other.publicKey },
    ]
    const sent = i % 3 === 0 ? [request, ...forgeries] : [request]
    return sent.map((one) => verify(pool, one, `client ${i}`))
  })
  const expected = requests.flatMap((_, i) => (i % 3 === 0 ? [true, false, false] : [true]))
  assert.deepEqual(await Promise.all(verdicts), expected, context)
}

describe('a verify pool with tables of keys', () => {
  test('judges hundreds of requests of one key, whose table is made among them, and forgeries', async (t) => {
    const { engine } = await chooseEngine('auto')
    for (const threads of [1, 2]) {
      const pool = startPool(t, { threads, engine: engine.name })
      await pool.warmUp()
      for (let round = 0; round < 3; round++) await assertVerdicts(pool, `round ${round}, ${threads} threads`)
    }
  })

  test('does so with the tables and not with the engine', async (t) => {
    const worker = new URL('./forgetful-worker.js', import.meta.url)
    const pool = startPool(t, { worker })
    const verdicts = async () => Promise.all(requests.map((request) => verify(pool, request, 'client')))
    for (let round = 0; round < 3; round++) {
      assert.deepEqual(
        await verdicts(),
        requests.map(() => true),
      )
    }
    const unknown = { ...requests[0], publicKey: testKey('no owner of a table').publicKey } as VerifyRequest
    const wrongVerdicts = Array.from({ length: 100 }, () => verify(pool, unknown, 'client'))
    assert.ok((await Promise.all(wrongVerdicts)).includes(true))
  })

  test('tells its worker how many there may be', async (t) => {
    const worker = new URL('./doubting-worker.js', import.meta.url)
    for (const keyTables of [2, 0]) {
      const pool = startPool(t, { worker, keyTables })
      await pool.warmUp()
      const verdicts = async () => Promise.all(requests.map((request) => verify(pool, request, 'client')))
      await verdicts()
      const hasTables = (await verdicts()).includes(false)
      assert.equal(hasTables, keyTables > 0, `${keyTables} tables`)
    }
  })
})
