import assert from 'node:assert/strict'
import { test as always } from 'node:test'
import type { OutboxPort } from '../../../../src/store/outbox.js'
import { Database } from '../../../../src/store/postgres/connection/database.js'
import { FateUnknown } from '../../../../src/store/postgres/connection/errors.js'
import { sql } from '../../../../src/store/postgres/connection/sql.js'
import { Fence } from '../../../../src/store/postgres/fence.js'
import { postgresOutbox } from '../../../../src/store/postgres/outbox/outbox-port.js'
import { prepareSchema } from '../../../../src/store/postgres/schema/prepare.js'
import { ManualClock } from '../../../support/manual-clock.js'
import { createDatabase, postgresStoreOptions } from '../../../support/postgres-harness.js'
import { postgresForTests } from '../../../support/postgres-tests.js'

const server = await postgresForTests()

/** Skipped where there is no PostgreSQL. */
const test = server === null ? always.skip : always

const ID = '0'.repeat(31)
const RETRY_AT = 5000

/** A database whose next write is done, or not, and says neither. */
class Doubtful extends Database {
  next: 'done' | 'not done' | 'told' = 'told'

  override async write<T>(...args: Parameters<Database['write']>): Promise<T> {
    const { next } = this
    this.next = 'told'
    const value = next === 'not done' ? undefined : await super.write(...args)
    if (next !== 'told') throw new FateUnknown(new Error('the answer was lost'))
    return value as T
  }
}

async function withOutbox(run: (outbox: OutboxPort, database: Doubtful) => Promise<void>): Promise<void> {
  assert.ok(server !== null)
  const options = { ...postgresStoreOptions(await createDatabase(server)), clock: new ManualClock() }
  const database = new Doubtful(options)
  await prepareSchema(database, options)
  await database.write(async (work) =>
    work.write(sql`
      INSERT INTO deliveries (id, owner, lane, invoice_id, status, url, body, state, created_at, attempts, attempts_before)
      SELECT id, 'alice', 'lane', 'invoice', 'pending', 'https://example.com', '{}', 'queued', 1, 0, 0
      FROM unnest(${[`${ID}1`, `${ID}2`]}::uuid[]) AS made (id)`),
  )
  try {
    await run(postgresOutbox(database, new Fence()), database)
  } finally {
    await database.close()
  }
}

for (const next of ['done', 'not done'] as const) {
  test(`a mark whose fate is unknown, and that was ${next}, leaves the delivery in the queue`, () =>
    withOutbox(async (outbox, database) => {
      database.next = next
      await assert.rejects(outbox.markAttempted(`${ID}1`), FateUnknown)
      const queued = await outbox.queued('lane', null, 10)
      assert.deepEqual(
        queued.map(({ id, attempts }) => [id, attempts]),
        [
          [`${ID}1`, 0],
          [`${ID}2`, 0],
        ],
      )
      assert.equal(await outbox.markAttempted(`${ID}1`), true)
      const [behind] = await outbox.queued('lane', null, 10)
      assert.equal(behind?.id, `${ID}2`, 'a mark that was told is not taken back')
    }))

  test(`the end of an attempt whose fate is unknown, and that was ${next}, can be recorded again`, () =>
    withOutbox(async (outbox, database) => {
      await outbox.markAttempted(`${ID}1`)
      const record = () =>
        outbox.recordResult(`${ID}1`, { kind: 'answered', httpStatus: 500, durationMs: 1 }, () => RETRY_AT)
      database.next = next
      await assert.rejects(record(), FateUnknown)
      assert.equal(await record(), RETRY_AT)
      assert.equal((await outbox.find(`${ID}1`))?.state, 'waiting')
      await assert.rejects(record(), /no result/)
    }))
}
