import assert from 'node:assert/strict'
import { test as always } from 'node:test'
import { Session } from '../../../../src/store/postgres/connection/session.js'
import { sql } from '../../../../src/store/postgres/connection/sql.js'
import { postgresForTests } from '../../../support/postgres-tests.js'
import { ReusedDatabase } from '../../../support/reused-database.js'

/* What the stores of tests share must not let one of them disturb the next. */

const server = await postgresForTests()

/** Skipped where there is no PostgreSQL. */
const test = server === null ? always.skip : always

async function processOf(session: Session): Promise<number | undefined> {
  const { rows } = await session.run<{ pid: number }>(sql`SELECT pg_backend_pid() AS pid`)
  return rows[0]?.pid
}

test('a session has the connection of one that was closed, unless that was in a transaction or waited for an answer', async () => {
  assert.ok(server !== null)
  const { address } = new ReusedDatabase(server.url())
  const first = await Session.open(address)
  const known = await processOf(first)
  await first.close()
  await assert.rejects(first.run(sql`SELECT 1`), /was closed/)

  const second = await Session.open(address)
  assert.equal(await processOf(second), known)
  await second.run(sql`BEGIN`)
  await second.close()

  const third = await Session.open(address)
  const other = await processOf(third)
  assert.notEqual(other, known)
  const lost = assert.rejects(third.run(sql`SELECT pg_sleep(1)`))
  await third.close()
  await lost

  const fourth = await Session.open(address)
  assert.notEqual(await processOf(fourth), other)
  await fourth.close()
})
