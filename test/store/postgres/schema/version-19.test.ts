import assert from 'node:assert/strict'
import { test as always } from 'node:test'
import { openPostgresStore } from '../../../../src/store/postgres/postgres-store.js'
import { Scenario } from '../../../contract/store/harness.js'
import { dropsWhatItLeansOn, leaningOrder } from '../../../support/leaning-order.js'
import { ManualClock } from '../../../support/manual-clock.js'
import { administer } from '../../../support/postgres-database.js'
import { assertSoundDatabase, createDatabase, postgresStoreOptions } from '../../../support/postgres-harness.js'
import { postgresForTests } from '../../../support/postgres-tests.js'

const server = await postgresForTests()

/** Skipped where there is no PostgreSQL. */
const test = server === null ? always.skip : always

/** Makes a database of this version one of version 19 again, which noted nothing of what orders lean on. */
const AS_VERSION_19 = [
  'ALTER TABLE orders DROP COLUMN is_leaning',
  'DROP TABLE leaning_orders, committed',
  'CREATE TABLE units (id uuid PRIMARY KEY, at bigint NOT NULL)',
  'CREATE INDEX units_at ON units (at)',
  'UPDATE billhook SET version = 19, oldest = 16',
]

/** Opens the store and plays on it. */
async function play(url: string, run: (t: Scenario) => Promise<void>): Promise<void> {
  const clock = new ManualClock()
  const store = await openPostgresStore({ ...postgresStoreOptions(url), clock })
  const fails = () => assert.fail()
  try {
    await run(new Scenario({ store, clock, failIds() {}, expectFlaw() {}, reopen: fails, discard: fails }))
  } finally {
    await store.close()
  }
}

test('data of version 19 opens with the orders listed that lean on money of nobody', async () => {
  assert.ok(server !== null)
  const url = await createDatabase(server)
  await play(url, leaningOrder)
  const listed = 'SELECT wallet_id, currency, order_id FROM leaning_orders ORDER BY 1'
  const before = await administer(url, listed)
  assert.equal(before.length, 3)
  await administer(url, ...AS_VERSION_19)
  await play(url, async (t) => {
    assert.deepEqual(await administer(url, listed), before)
    await dropsWhatItLeansOn(t)
  })
  assert.deepEqual(await administer(url, listed), [])
  await assertSoundDatabase(url)
})
