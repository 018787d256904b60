import { once } from 'node:events'
import { createRequire } from 'node:module'
import { Invoices } from './invoices.js'
import { startPostgres } from './postgres.js'
import { createServer } from './server.js'
import { type SetUp, setUpTables } from './set-up.js'

/*
 * The process of the ordinary stack, with PostgreSQL as its child: `node main.js <directory>`. Its parent tells it what the
 * tables hold at first, and is told where it listens. It ends when the parent lets go of it, or is gone.
 */

/** What the parent hears, once. */
export type Answer = { readonly url: string; readonly version: string } | { readonly error: string }

/**
 * To PostgreSQL. The fastest of 8, 16, 32 and 64 on two cores; there one process was also faster than two of node:cluster,
 * since signatures are verified on the thread pool.
 */
const CONNECTIONS = 32
/** Clients that wait to be accepted; a load generator connects with all its connections at once. */
const BACKLOG = 4096

const [directory] = process.argv.slice(2)
if (directory === undefined || process.send === undefined) throw new Error('startOrdinary starts this')
const released = once(process, 'disconnect')
process.once('message', (setUp: SetUp) => {
  serve(directory, setUp).catch((error: Error) => {
    tell({ error: error.message })
    if (process.connected) process.disconnect()
  })
})

async function serve(directory: string, setUp: SetUp): Promise<void> {
  const database = await startPostgres(directory)
  const pool = database.connect(CONNECTIONS)
  try {
    await setUpTables(pool, setUp)
    const server = createServer(new Invoices(pool))
    const url = await server.listen({ host: '127.0.0.1', port: 0, backlog: BACKLOG })
    const { version: pg } = createRequire(import.meta.url)('pg/package.json')
    tell({ url, version: `Fastify ${server.version}, pg ${pg}, PostgreSQL ${database.version}` })
    await released
    await server.close()
  } finally {
    await pool.end()
    await database.stop()
  }
}

function tell(answer: Answer): void {
  process.send?.(answer)
}
