import type { Kind } from '../../src/store/postgres/schema/prepare.js'
import { createPreparedDatabase } from './prepared-databases.js'

/** Names a server of PostgreSQL with templates on which services of tests are to keep their state: `npm run test:postgres`. */
export const SERVER_UNDER_TEST = 'BILLHOOK_TEST_SERVER'

/** The settings that put the state of one service where the tests are to have it: a database of its own, or its data directory. */
export async function storeUnderTest(kind: Kind): Promise<Readonly<Record<string, string>>> {
  const address = process.env[SERVER_UNDER_TEST]
  if (address === undefined) return {}
  const url = (database?: string) => (database === undefined ? address : new URL(`/${database}`, address).href)
  return { BILLHOOK_STORE: await createPreparedDatabase({ url }, kind) }
}
