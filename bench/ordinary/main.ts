import { once } from 'node:events'
import { createRequire } from 'node:module'
import { CREATIONS, type CreationName } from './creation.js'
import { Invoices } from './invoices.js'
import { startPostgres } from './postgres.js'
import { createServer } from './server.js'
import { type SetUp, setUpTables } from './set-up.js'

/*
 * The process of the ordinary stack, with PostgreSQL as its child: `node main.js <directory> <creation>`. Its parent
 * sends it the initial rows and receives its address. It ends when the parent disconnects.
 */

/** The one message to the parent. */
export type Answer = { readonly url: string; readonly version: string } | { readonly error: string }

/** Backlog of the listener: a load generator opens all of its connections at once. */
const BACKLOG = 4096

const [directory, creationName] = process.argv.slice(2)
if (directory === undefined || process.send === undefined) throw new Error('startOrdinary starts this')
// A valid name, because startOrdinary passes it.
const creation = CREATIONS[creationName as CreationName]
const released = once(process, 'disconnect')
process.once('message', (setUp: SetUp) => {
  serve(directory, setUp).catch((error: Error) => {
    tell({ error: error.message })
    if (process.connected) process.disconnect()
  })
})

async function serve(directory: string, setUp: SetUp): Promise<void> {
  const database = await startPostgres(directory)
  const pool = database.connect(creation.connections)
  try {
    await setUpTables(pool, setUp)
    await pool.query(creation.functions)
    const server = createServer(new Invoices(pool, creation))
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
