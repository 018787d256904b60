import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type AddressInfo, connect, createServer } from 'node:net'
import { test as always } from 'node:test'
import { openPostgresStore } from '../../../../src/store/postgres/postgres-store.js'
import { administer } from '../../../support/postgres-database.js'
import { createDatabase, postgresStoreOptions } from '../../../support/postgres-harness.js'
import { PostgresServer } from '../../../support/postgres-server.js'
import { postgresForTests } from '../../../support/postgres-tests.js'

const server = await postgresForTests({ isDurable: true })

/** Skipped where there is no PostgreSQL. */
const test = server === null ? always.skip : always

async function refusalOf(url: string): Promise<string> {
  try {
    await (await openPostgresStore({ ...postgresStoreOptions(url), promises: 'all' })).close()
    return 'none'
  } catch (error) {
    assert.equal((error as Error).name, 'OperatorError', String(error))
    return (error as Error).message
  }
}

test('a database that keeps what it has committed is used', async () => {
  assert.ok(server !== null)
  assert.equal(await refusalOf(await createDatabase(server)), 'none')
})

for (const setting of ['fsync', 'full_page_writes', 'synchronous_commit']) {
  test(`a database with ${setting} = off is refused, and nothing is made in it`, async () => {
    const careless = await PostgresServer.start({
      settings: { fsync: 'on', synchronous_commit: 'on', full_page_writes: 'on', [setting]: 'off' },
    })
    try {
      const url = await createDatabase(careless)
      assert.match(await refusalOf(url), new RegExp(`^the database has ${setting} = off, so it could lose`))
      assert.deepEqual(await administer(url, "SELECT tablename FROM pg_tables WHERE schemaname = 'public'"), [])
    } finally {
      await careless.stop()
    }
  })
}

/** A proxy that makes another level of what each transaction asks for, as an engine without READ COMMITTED does. */
async function withoutReadCommitted(port: number): Promise<{ readonly port: number; close(): void }> {
  const proxy = createServer((client) => {
    const upstream = connect(port, '127.0.0.1')
    client.on('data', (chunk: Buffer) => {
      upstream.write(Buffer.from(chunk.toString('latin1').replaceAll('READ COMMITTED', 'SERIALIZABLE  '), 'latin1'))
    })
    upstream.pipe(client)
    for (const [one, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      one.on('error', () => other.destroy())
      one.on('close', () => other.destroy())
    }
  }).listen(0, '127.0.0.1')
  await once(proxy, 'listening')
  return { port: (proxy.address() as AddressInfo).port, close: () => proxy.close() }
}

test('an engine whose transactions do not see what others commit is refused, with the names of settings', async () => {
  assert.ok(server !== null)
  const proxy = await withoutReadCommitted(server.port)
  const url = new URL(await createDatabase(server))
  url.port = String(proxy.port)
  try {
    assert.match(await refusalOf(url.href), /READ COMMITTED.*yb_enable_read_committed_isolation on YugabyteDB/)
  } finally {
    proxy.close()
  }
})

test('behind a pooler of transactions the settings are the role’s, and one that is missing is named', async () => {
  assert.ok(server !== null)
  const url = `${await createDatabase(server)}?pooler=transaction`
  assert.match(
    await refusalOf(url),
    /ALTER ROLE … SET idle_in_transaction_session_timeout = '5000', and then RECONNECT the pooler/,
  )
})
