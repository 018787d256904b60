import assert from 'node:assert/strict'
import { describe, type TestContext, test } from 'node:test'
import { chooseEngine } from '../../src/verify/engine-choice.js'
import { compileKeyTables } from '../../src/verify/key-tables.js'
import type { VerifyPool } from '../../src/verify/pool.js'
import type { VerifyRequest } from '../../src/verify/wire.js'
import { signRequest, testKey } from '../support/signing.js'
import { type RealPoolSettings, startVerifyPool } from '../support/verify-pool.js'

const code = await compileKeyTables()
const { engine } = await chooseEngine('auto')
const TAG = 'POST /api/invoices'
const TIMESTAMP = '1700000000000'
const key = testKey('pool with tables')
const requests = Array.from({ length: 300 }, (_, i) => signed(`{"name":"${i}"}`))

function startPool(t: TestContext, settings: RealPoolSettings): VerifyPool {
  const failed: Error[] = []
  const pool = startVerifyPool({
    keyTables: { code, limit: 2 },
    batchLimit: 32,
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
  if (!(verdict instanceof Promise)) throw new Error(`rejected: ${verdict}`)
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
    for (const threads of [1, 2]) {
      const pool = startPool(t, { threads, engine: engine.name })
      await pool.warmUp()
      for (let round = 0; round < 3; round++) await assertVerdicts(pool, `round ${round}, ${threads} threads`)
    }
  })

  for (const keyTables of [{ code, limit: 2 }, null]) {
    test(`${keyTables === null ? 'does not miss' : 'tells of'} tables that are wrong, gives right verdicts all the same, and uses them no more`, async (t) => {
      const worker = new URL('./doubting-worker.js', import.meta.url)
      const failures: string[] = []
      const pool = startPool(t, {
        threads: 2,
        engine: engine.name,
        worker,
        keyTables,
        onTablesFailed: (reason) => failures.push(reason),
      })
      await pool.warmUp()
      for (let round = 0; round < 2; round++) await assertVerdicts(pool, `round ${round}`)
      const threadsThatFailed = failures.length
      assert.ok(keyTables === null ? threadsThatFailed === 0 : threadsThatFailed === 1 || threadsThatFailed === 2)
      assert.ok(failures.every((reason) => /contradicts/.test(reason)))
    })
  }
})
