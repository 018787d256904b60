import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { test as always } from 'node:test'
import { parseDatabaseAddress } from '../../../../src/base/database-address.js'
import { Database } from '../../../../src/store/postgres/connection/database.js'
import { Session } from '../../../../src/store/postgres/connection/session.js'
import { sql } from '../../../../src/store/postgres/connection/sql.js'
import { prepareSchema } from '../../../../src/store/postgres/schema/prepare.js'
import { CuttingProxy } from '../../../support/cutting-proxy.js'
import { createDatabase, postgresStoreOptions } from '../../../support/postgres-harness.js'
import { postgresForTests } from '../../../support/postgres-tests.js'

const server = await postgresForTests()

/** Skipped where there is no PostgreSQL. */
const test = server === null ? always.skip : always

const ANSWER_TIMEOUT_MS = 200
/** AuthenticationOk and ReadyForQuery, idle. */
const WELCOME = Buffer.from('5200000008000000005a0000000549', 'hex')

/** A database behind a proxy, which has a table. */
async function withProxy(run: (database: Database, proxy: CuttingProxy) => Promise<void>): Promise<void> {
  assert.ok(server !== null)
  const proxy = await CuttingProxy.start(server.port)
  const url = new URL(await createDatabase(server))
  url.port = String(proxy.port)
  const address = parseDatabaseAddress(url.href)
  assert.ok(address !== undefined)
  const options = { ...postgresStoreOptions(url.href), address: { ...address, answerTimeoutMs: ANSWER_TIMEOUT_MS } }
  const database = new Database(options)
  await prepareSchema(database, options)
  try {
    await run(database, proxy)
  } finally {
    proxy.release()
    await database.close()
    await proxy.stop()
  }
}

const insert = (database: Database, owner: string) =>
  database.write(async (work) => work.write(sql`INSERT INTO identities (owner, is_known) VALUES (${owner}, true)`))

async function ownersOf(database: Database): Promise<readonly string[]> {
  const rows = await database.read<{ owner: string }>(sql`SELECT owner FROM identities ORDER BY owner`)
  return rows.map(({ owner }) => owner)
}

test('reads and writes are refused by a server that hangs, and go on when it answers again', () =>
  withProxy(async (database, proxy) => {
    await insert(database, 'alice')
    assert.deepEqual(await ownersOf(database), ['alice'])
    proxy.hold()
    const fates = await Promise.allSettled([insert(database, 'bob'), ownersOf(database)])
    for (const fate of fates) assert.equal(fate.status === 'rejected' && fate.reason.name, 'StorageUnavailable')
    proxy.release()
    await insert(database, 'carol')
    const owners = await ownersOf(database)
    assert.ok(!owners.includes('bob'), 'a refused write that had not come to its commit is not there')
    assert.ok(owners.includes('alice') && owners.includes('carol'))
  }))

test('a write whose commit was not answered in time is looked up, and not done twice', () =>
  withProxy(async (database, proxy) => {
    let tries = 0
    const write = database.write(async (work) => {
      tries += 1
      await work.rows(sql`SELECT 1`)
      work.write(sql`INSERT INTO identities (owner, is_known) VALUES ('alice', true)`)
      await work.readClock()
      if (tries > 1) return
      // The commit is sent behind this, and never answered on this connection.
      setImmediate(() => {
        proxy.hold()
        setTimeout(() => proxy.release(), 3 * ANSWER_TIMEOUT_MS)
      })
    })
    await write
    assert.deepEqual(await ownersOf(database), ['alice'])
    assert.ok(tries <= 2)
  }))

// A pooler does so while its database is away.
always('no session is opened on a server that lets a client in and answers nothing', { timeout: 60_000 }, async (t) => {
  const silent = createServer((socket) => {
    socket.on('error', () => {})
    socket.once('data', () => socket.write(WELCOME))
    t.after(() => socket.destroy())
  })
  silent.listen(0, '127.0.0.1')
  await once(silent, 'listening')
  t.after(() => silent.close())
  const address = parseDatabaseAddress(`postgres://nobody@127.0.0.1:${(silent.address() as AddressInfo).port}/none`)
  assert.ok(address !== undefined)
  await assert.rejects(Session.open({ ...address, answerTimeoutMs: ANSWER_TIMEOUT_MS }))
})
