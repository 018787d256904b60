import assert from 'node:assert/strict'
import { test as always } from 'node:test'
import pg from 'pg'
import { parseDatabaseAddress } from '../../../../src/base/database-address.js'
import { Database } from '../../../../src/store/postgres/connection/database.js'
import { READERS_MAX } from '../../../../src/store/postgres/connection/pool.js'
import { sql } from '../../../../src/store/postgres/connection/sql.js'
import { postgresForTests } from '../../../support/postgres-tests.js'

const server = await postgresForTests()

/** Skipped where there is no PostgreSQL. */
const test = server === null ? always.skip : always

/** More than there are sessions that read. */
const PAGES = 8
const LOOKUPS = 2 * READERS_MAX

test('a look-up waits for no page of a list, however many are under way', async () => {
  const url = server?.url() ?? assert.fail()
  const database = new Database({
    address: parseDatabaseAddress(url) ?? assert.fail(),
    newId: () => assert.fail('nothing is written'),
  })
  const holder = new pg.Client({ connectionString: url })
  await holder.connect()
  try {
    await holder.query('SELECT pg_advisory_lock(33)')
    let done = 0
    const pages = Array.from({ length: PAGES }, async () => {
      await database.readPage(sql`SELECT pg_advisory_xact_lock_shared(33)`)
      done += 1
    })
    for (let n = 0; n < LOOKUPS; n += 1) {
      assert.deepEqual(await database.read(sql`SELECT 1::bigint AS one`), [{ one: 1 }])
    }
    assert.equal(done, 0)
    await holder.query('SELECT pg_advisory_unlock(33)')
    await Promise.all(pages)
  } finally {
    await holder.end()
    await database.close()
  }
})
