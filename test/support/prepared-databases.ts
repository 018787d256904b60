import type { Kind } from '../../src/store/postgres/schema/prepare.js'
import { administer, openDatabase } from './postgres-database.js'
import { createDatabase } from './postgres-harness.js'
import type { PostgresServer } from './postgres-server.js'

/*
 * Databases with all tables, which are copied: that takes a fraction of making the tables, and most tests of a service are not about
 * its first start.
 */

const TEMPLATES: Readonly<Record<Kind, string>> = { real: 'prepared_real', sandbox: 'prepared_sandbox' }

/** Makes what `createPreparedDatabase` copies. Call it once for a server. */
export async function makeTemplates(server: PostgresServer): Promise<void> {
  const url = await createDatabase(server)
  await (await openDatabase(url)).close()
  // Each copy is a store of its own.
  await administer(url, 'UPDATE billhook SET store_id = NULL, born_at = NULL')
  const name = new URL(url).pathname.slice(1)
  await administer(server.url(), `CREATE DATABASE ${TEMPLATES.real} TEMPLATE ${name}`)
  await administer(url, `UPDATE billhook SET kind = 'sandbox'`)
  await administer(server.url(), `CREATE DATABASE ${TEMPLATES.sandbox} TEMPLATE ${name}`)
}

/** Makes a database for a service of a kind, and answers its address. */
export function createPreparedDatabase(server: Pick<PostgresServer, 'url'>, kind: Kind): Promise<string> {
  return createDatabase(server, TEMPLATES[kind])
}
