import pg from 'pg'
import type { Clock } from '../../src/clock.js'
import { Database } from '../../src/store/postgres/connection/database.js'
import { prepareSchema } from '../../src/store/postgres/schema/prepare.js'
import { postgresStoreOptions } from './postgres-harness.js'

/** A database with its tables, as the parts of a store have it. */
export async function openDatabase(url: string, clock?: Clock): Promise<Database> {
  const database = new Database({ ...postgresStoreOptions(url), ...(clock === undefined ? {} : { clock }) })
  await prepareSchema(database, { kind: 'real', mayBegin: true, promises: 'concurrency' })
  return database
}

/** Performs statements on a connection of their own, as an operator would. Answers the rows of the last one. */
export async function administer(url: string, ...statements: readonly string[]): Promise<readonly unknown[]> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    let rows: readonly unknown[] = []
    for (const statement of statements) rows = (await client.query<Record<string, unknown>>(statement)).rows
    return rows
  } finally {
    await client.end()
  }
}
