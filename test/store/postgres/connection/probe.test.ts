import assert from 'node:assert/strict'
import { test as always } from 'node:test'
import { TABLES } from '../../../../src/store/postgres/connection/probe.js'
import { openPostgresStore } from '../../../../src/store/postgres/postgres-store.js'
import { administer } from '../../../support/postgres-database.js'
import { createDatabase, postgresStoreOptions } from '../../../support/postgres-harness.js'
import { postgresForTests } from '../../../support/postgres-tests.js'

const server = await postgresForTests()

/** Skipped where there is no PostgreSQL. */
const test = server === null ? always.skip : always

/** What the start, an import, support, a source of rates, or the work that only one process does writes, and no request of merchants, who are not to suffer. */
const NOT_PROBED: readonly string[] = [
  'allowances',
  'billhook',
  'matching',
  'block_deposits',
  'blocks',
  'blocks_aside',
  'deposits_aside',
  'ledger_progress',
  'ledger_set_aside',
  'ledger_taken',
  'logged',
  'moves',
  'networks',
  'notes',
  'rates',
]

test('every table is probed that requests write', async () => {
  assert.ok(server !== null)
  const url = await createDatabase(server)
  await (await openPostgresStore(postgresStoreOptions(url))).close()
  const rows = await administer(url, `SELECT tablename FROM pg_tables WHERE schemaname = 'public' ORDER BY 1`)
  const known = rows.map((row) => (row as { readonly tablename: string }).tablename)
  assert.deepEqual([...TABLES, ...NOT_PROBED, 'committed'].sort(), known)
})
