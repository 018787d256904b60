import assert from 'node:assert/strict'
import { test as always } from 'node:test'
import pg from 'pg'
import { type DatabaseAddress, parseDatabaseAddress } from '../../../../src/base/database-address.js'
import { REQUESTED_WRITES_MAX, WRITERS_MAX, WriterPool } from '../../../../src/store/postgres/connection/pool.js'
import type { Session } from '../../../../src/store/postgres/connection/session.js'
import { sql } from '../../../../src/store/postgres/connection/sql.js'
import { QueueFull } from '../../../../src/store/refusals.js'
import { CuttingProxy } from '../../../support/cutting-proxy.js'
import type { PostgresServer } from '../../../support/postgres-server.js'
import { postgresForTests } from '../../../support/postgres-tests.js'

const server = await postgresForTests()

/** Skipped where there is no PostgreSQL. */
const test = server === null ? always.skip : always

function present(): PostgresServer {
  if (server === null) throw new Error('a skipped test asks for its server')
  return server
}

function addressOf(url: string): DatabaseAddress {
  const address = parseDatabaseAddress(url)
  assert.ok(address !== undefined)
  return address
}

/** Takes all sessions of a pool. */
function takeAll(pool: WriterPool): Promise<Session[]> {
  return Promise.all(Array.from({ length: WRITERS_MAX }, () => pool.take(false)))
}

async function assertAlive(session: Session | undefined): Promise<void> {
  assert.deepEqual((await session?.run(sql`SELECT 1::bigint AS one`))?.rows, [{ one: 1 }])
}

/** Runs with a pool, and gives back the sessions that `run` answers. */
async function withPool(url: string, run: (pool: WriterPool) => Promise<readonly Session[]>): Promise<void> {
  const pool = new WriterPool(addressOf(url))
  for (const session of await run(pool)) pool.give(session, false)
  await pool.close()
}

async function administer(statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: present().url() })
  await client.connect()
  await client.query(statement)
  await client.end()
}

test('a session has one borrower at a time, and is lent again', async () => {
  await withPool(present().url(), async (pool) => {
    const sessions = await takeAll(pool)
    assert.equal(new Set(sessions).size, WRITERS_MAX)
    for (const session of sessions) pool.give(session, false)
    assert.deepEqual(new Set(await takeAll(pool)), new Set(sessions))
    return sessions
  })
})

test('whoever comes first is served first, asked for by a client or not', async () => {
  await withPool(present().url(), async (pool) => {
    const sessions = await takeAll(pool)
    const served: number[] = []
    const waiting = Array.from({ length: 2 * WRITERS_MAX }, async (_, i) => {
      const session = await pool.take(i % 2 === 0)
      served.push(i)
      pool.give(session, false)
    })
    const [first, ...others] = sessions
    assert.ok(first !== undefined)
    pool.give(first, false)
    await Promise.all(waiting)
    assert.deepEqual(
      served,
      waiting.map((_, i) => i),
    )
    return others
  })
})

test('when too much waits, what a client asks for is refused, and other work waits', async () => {
  await withPool(present().url(), async (pool) => {
    const [first, ...others] = await takeAll(pool)
    assert.ok(first !== undefined)
    const isServed = (isRequested: boolean) => pool.take(isRequested).then((session) => pool.give(session, false))
    const waiting = Array.from({ length: REQUESTED_WRITES_MAX }, () => isServed(true))
    await assert.rejects(isServed(true), QueueFull)
    waiting.push(isServed(false))
    pool.give(first, false)
    await Promise.all(waiting)
    await isServed(true)
    return others
  })
})

test('a session that comes back broken is replaced for the next in turn', async () => {
  await withPool(present().url(), async (pool) => {
    const [broken, ...others] = await takeAll(pool)
    assert.ok(broken !== undefined)
    const waiting = [pool.take(false), pool.take(false)]
    pool.give(broken, true)
    const replacement = await waiting[0]
    assert.ok(replacement !== undefined)
    assert.notEqual(replacement, broken)
    await assertAlive(replacement)
    assert.ok(broken.isLost)
    pool.give(replacement, false)
    assert.equal(await waiting[1], replacement)
    return [replacement, ...others]
  })
})

test('a session that is lost while nobody has it is not lent', async () => {
  const proxy = await CuttingProxy.start(present().port)
  await withPool(`postgres://postgres@127.0.0.1:${proxy.port}/postgres`, async (pool) => {
    const sessions = await takeAll(pool)
    for (const session of sessions) pool.give(session, false)
    proxy.cutAll()
    while (!sessions.every((session) => session.isLost)) await new Promise((resolve) => setImmediate(resolve))
    const replacements = await takeAll(pool)
    for (const session of replacements) await assertAlive(session)
    return replacements
  })
  await proxy.stop()
})

test('whoever takes or waits hears why when no session can be opened', async () => {
  const proxy = await CuttingProxy.start(present().port)
  const pool = new WriterPool(addressOf(`postgres://postgres@127.0.0.1:${proxy.port}/postgres`))
  const sessions = await takeAll(pool)
  const waiting = Array.from({ length: 2 * WRITERS_MAX }, () => pool.take(true))
  await proxy.stop()
  for (const session of sessions) pool.give(session, true)
  for (const fate of await Promise.allSettled([...waiting, pool.take(true)])) {
    assert.equal(fate.status === 'rejected' && fate.reason.code, 'ECONNREFUSED')
  }
  await pool.close()
})

test('a pool whose server was away lends as many sessions as before', async () => {
  await administer('CREATE ROLE away LOGIN CONNECTION LIMIT 0')
  await withPool(`postgres://away@127.0.0.1:${present().port}/postgres`, async (pool) => {
    for (const fate of await Promise.allSettled(Array.from({ length: 20 }, () => pool.take(true)))) {
      assert.equal(fate.status === 'rejected' && fate.reason.code, '53300')
    }
    await administer('ALTER ROLE away CONNECTION LIMIT -1')
    return takeAll(pool)
  })
})

test('nobody passes over those who wait since a session could not be replaced', async () => {
  await administer('CREATE ROLE few LOGIN')
  await withPool(`postgres://few@127.0.0.1:${present().port}/postgres`, async (pool) => {
    const [broken, ...others] = await takeAll(pool)
    assert.ok(broken !== undefined)
    const [refused, early] = [pool.take(false), pool.take(false)]
    await administer('ALTER ROLE few CONNECTION LIMIT 1')
    pool.give(broken, true)
    await assert.rejects(refused, { code: '53300' })
    await administer('ALTER ROLE few CONNECTION LIMIT -1')
    const served: string[] = []
    const turns = [
      early.then((session) => {
        served.push('early')
        pool.give(session, false)
      }),
      pool.take(false).then((session) => {
        served.push('late')
        pool.give(session, false)
      }),
    ]
    await Promise.all(turns)
    assert.deepEqual(served, ['early', 'late'])
    return others
  })
})

test('a pool that is closed ends its sessions, and lends none', async () => {
  const pool = new WriterPool(addressOf(present().url()))
  const [session] = await takeAll(pool)
  assert.ok(session !== undefined)
  pool.give(session, false)
  await pool.close()
  assert.ok(session.isLost)
  await assert.rejects(pool.take(false), /closed/)
  await assert.rejects(pool.take(true), /closed/)
})

test('a session that was opened for somebody who had another one meanwhile ends with the pool', async () => {
  const proxy = await CuttingProxy.start(present().port)
  const pool = new WriterPool(addressOf(`postgres://postgres@127.0.0.1:${proxy.port}/postgres`))
  const [broken, first, ...others] = await takeAll(pool)
  assert.ok(broken !== undefined && first !== undefined)
  const next = pool.take(false)
  pool.give(broken, true)
  pool.give(first, false)
  assert.equal(await next, first)
  for (const session of [first, ...others]) pool.give(session, false)
  await pool.close()
  while (proxy.connections > 0) await new Promise((resolve) => setImmediate(resolve))
  await proxy.stop()
})
