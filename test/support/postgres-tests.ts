import { after, test } from 'node:test'
import { PostgresAbsent } from './postgres-absent.js'
import { PostgresServer, type ServerOptions } from './postgres-server.js'
import { memoryDirectory } from './temporary-directory.js'

/** What the files of a process that ask for nothing special share. */
let shared: Promise<PostgresServer> | null = null

/**
 * A server for the tests of a file, which is stopped behind those of its process. One with options is the file's own. Null where there is
 * no PostgreSQL: a skipped test tells why.
 */
export async function postgresForTests(options?: ServerOptions): Promise<PostgresServer | null> {
  try {
    if (options !== undefined) return await startedFor(options)
    shared ??= startedFor({})
    return await shared
  } catch (error) {
    if (!(error instanceof PostgresAbsent)) throw error
    test('on PostgreSQL', { skip: error.message }, () => {})
    return null
  }
}

async function startedFor(options: ServerOptions): Promise<PostgresServer> {
  // One that waits for the disk, as services demand, waits for memory: what tests kill are processes, never the machine.
  const server = await PostgresServer.start({ directory: memoryDirectory(), ...options })
  after(() => server.stop())
  return server
}
