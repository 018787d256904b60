import { after, test } from 'node:test'
import { PostgresAbsent } from './postgres-absent.js'
import { PostgresServer, type ServerOptions } from './postgres-server.js'

/**
 * A server for the tests of a file, which is stopped behind them. Null where there is no PostgreSQL: a skipped test tells why.
 */
export async function postgresForTests(options?: ServerOptions): Promise<PostgresServer | null> {
  try {
    const server = await PostgresServer.start(options)
    after(() => server.stop())
    return server
  } catch (error) {
    if (!(error instanceof PostgresAbsent)) throw error
    test('on PostgreSQL', { skip: error.message }, () => {})
    return null
  }
}
