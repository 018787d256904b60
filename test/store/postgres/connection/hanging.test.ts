import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { test as always } from 'node:test'
import pg from 'pg'
import { parseDatabaseAddress } from '../../../../src/base/database-address.js'
import { Database } from '../../../../src/store/postgres/connection/database.js'
import { FateUnknown } from '../../../../src/store/postgres/connection/errors.js'
import { FATE_LIMITS } from '../../../../src/store/postgres/connection/fates.js'
import { READERS_MAX, WRITERS_MAX } from '../../../../src/store/postgres/connection/pool.js'
import {
  type Reach,
  LOCK_TIMEOUT_MS as SERVICE_LOCK_TIMEOUT_MS,
  ANSWER_TIMEOUT_MS as SERVICE_TIMEOUT_MS,
  SESSION_SETTINGS,
  Session,
  UNREAD_MS,
} from '../../../../src/store/postgres/connection/session.js'
import { sql } from '../../../../src/store/postgres/connection/sql.js'
import { prepareSchema } from '../../../../src/store/postgres/schema/prepare.js'
import { StorageUnavailable } from '../../../../src/store/refusals.js'
import { CuttingProxy } from '../../../support/cutting-proxy.js'
import { administer } from '../../../support/postgres-database.js'
import { createDatabase, postgresStoreOptions } from '../../../support/postgres-harness.js'
import { postgresForTests } from '../../../support/postgres-tests.js'

const server = await postgresForTests()

/** Skipped where there is no PostgreSQL. */
const test = server === null ? always.skip : always

const ANSWER_TIMEOUT_MS = 400
const LOCK_TIMEOUT_MS = 300
const ASK_AGAIN_MS = 5
const fateLimits = { knownWithinMs: 5 * ANSWER_TIMEOUT_MS, askedMinMs: ANSWER_TIMEOUT_MS, pauseMs: ASK_AGAIN_MS }
/** More writes, one after the other, than wait for a lock until a probe has waited for it. */
const WRITES_UNTIL_PROBED_MAX = 20
/** More messages than a session takes to open, to ask what became of a write, and to repeat it. */
const QUESTION_MESSAGES_MAX = 200
/** AuthenticationOk and ReadyForQuery, idle. */
const WELCOME = Buffer.from('5200000008000000005a0000000549', 'hex')

/** What a database says of itself, in order. */
type Told = 'unavailable' | 'lock'

interface Parts {
  readonly database: Database
  readonly proxy: CuttingProxy
  readonly told: Told[]
  /** A connection of somebody else, not through the proxy. */
  readonly other: pg.Client
}

/** A database behind a proxy, which has its tables. */
async function withProxy(run: (parts: Parts) => Promise<void>, changed: Partial<Reach> = {}): Promise<void> {
  assert.ok(server !== null)
  const proxy = await CuttingProxy.start(server.port)
  const direct = await createDatabase(server)
  const url = new URL(direct)
  url.port = String(proxy.port)
  const address = parseDatabaseAddress(url.href)
  assert.ok(address !== undefined)
  const told: Told[] = []
  const timeouts = { answerTimeoutMs: ANSWER_TIMEOUT_MS, lockTimeoutMs: LOCK_TIMEOUT_MS }
  const options = { ...postgresStoreOptions(url.href), address: { ...address, ...timeouts, ...changed }, fateLimits }
  const observed = {
    ...options,
    onUnavailable: () => told.push('unavailable'),
    onLockTimeout: () => told.push('lock'),
  }
  for (const [name, value] of Object.entries(changed.isPooled === true ? SESSION_SETTINGS : {})) {
    await administer(direct, `ALTER ROLE postgres SET ${name} = '${value}'`)
  }
  const database = new Database(observed)
  await prepareSchema(database, { ...options, promises: 'concurrency' })
  const other = new pg.Client(direct)
  await other.connect()
  try {
    await run({ database, proxy, told, other })
  } finally {
    await other.end()
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

/** Asks again until it is not refused. */
async function untilTaken<T>(ask: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await ask()
    } catch (error) {
      assert.ok(error instanceof StorageUnavailable, String(error))
      await new Promise((resolve) => setTimeout(resolve, ASK_AGAIN_MS))
    }
  }
}

const isRefused = (promise: Promise<unknown>) => assert.rejects(promise, StorageUnavailable)

/** It is refused before anything could have been asked of the database. */
async function isRefusedAtOnce(promise: Promise<unknown>): Promise<void> {
  assert.equal(await waits(promise), 'StorageUnavailable')
}

/** The name of the error with which it is refused at once. */
async function waits(promise: Promise<unknown>): Promise<unknown> {
  const later = new Promise((resolve) => setImmediate(() => resolve('it waits')))
  return Promise.race([promise.catch((error: Error) => error.name), later])
}

test('a request that meets a server that hangs is answered in ten seconds, and nobody gives up sooner than a suspended process', () => {
  assert.ok(SERVICE_TIMEOUT_MS + UNREAD_MS + FATE_LIMITS.askedMinMs < 10_000)
  assert.ok(FATE_LIMITS.knownWithinMs < 10_000)
  assert.ok(SERVICE_LOCK_TIMEOUT_MS < SERVICE_TIMEOUT_MS, 'a lock is told from a server that hangs')
  const suspendedMs = Number(SESSION_SETTINGS['idle_in_transaction_session_timeout'])
  assert.ok(SERVICE_LOCK_TIMEOUT_MS > suspendedMs)
})

test('reads and writes are refused by a server that hangs, those behind the first ones at once, and go on when it answers again', () =>
  withProxy(async ({ database, proxy, told }) => {
    await insert(database, 'alice')
    assert.deepEqual(await ownersOf(database), ['alice'])
    proxy.hold()
    await Promise.all([isRefused(insert(database, 'bob')), isRefused(ownersOf(database))])
    assert.ok(told.includes('unavailable'))
    await isRefusedAtOnce(insert(database, 'bob'))
    await isRefusedAtOnce(ownersOf(database))
    proxy.release()
    await untilTaken(() => insert(database, 'carol'))
    const owners = await untilTaken(() => ownersOf(database))
    assert.ok(!owners.includes('bob'), 'a refused write that had not come to its commit is not there')
    assert.ok(owners.includes('alice') && owners.includes('carol'))
  }))

test('a server that hangs is noticed by one who only reads', () =>
  withProxy(async ({ database, proxy, told }) => {
    await ownersOf(database)
    proxy.hold()
    await isRefused(ownersOf(database))
    assert.ok(told.includes('unavailable'))
    await isRefusedAtOnce(insert(database, 'bob'))
  }))

test('what waits for a session is refused with the first who learns that the server hangs', () =>
  withProxy(async ({ database, proxy }) => {
    await insert(database, 'alice')
    proxy.hold()
    const writes = Array.from({ length: 3 * WRITERS_MAX }, (_, i) => insert(database, `bob-${i}`))
    const refusals = writes.map((write) => write.catch((error: Error) => error.name))
    await Promise.race(refusals)
    const later = new Promise((resolve) => setImmediate(() => setImmediate(() => resolve('it waits'))))
    for (const refusal of refusals.slice(WRITERS_MAX)) {
      assert.equal(await Promise.race([refusal, later]), 'StorageUnavailable')
    }
    await Promise.all(refusals)
  }))

test('a process that could not read its answers for a while has not lost them', () =>
  withProxy(async ({ database, told }) => {
    await insert(database, 'alice')
    const write = insert(database, 'bob')
    await new Promise((resolve) => setImmediate(resolve))
    // As if it had been suspended.
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 2 * ANSWER_TIMEOUT_MS)
    await write
    assert.deepEqual(told, [])
    assert.deepEqual(await ownersOf(database), ['alice', 'bob'])
  }))

test('a write whose commit was not answered in time is looked up, and not done twice', () =>
  withProxy(async ({ database, proxy }) => {
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
        setTimeout(() => proxy.release(), 2 * ANSWER_TIMEOUT_MS)
      })
    })
    await write
    assert.deepEqual(await untilTaken(() => ownersOf(database)), ['alice'])
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

test('a write that is told to have happened is there, whatever answers about its fate are lost', () =>
  withProxy(async ({ database, proxy }) => {
    let isOver = false
    for (let at = 0; !isOver; at += 1) {
      assert.ok(at < QUESTION_MESSAGES_MAX, 'the questions have no end')
      const owner = `owner-${at}`
      let tries = 0
      const write = database.write(async (work) => {
        tries += 1
        work.write(sql`INSERT INTO identities (owner, is_known) VALUES (${owner}, true)`)
        await work.readClock()
        if (tries > 1) return
        // The commit is sent behind this, and comes to nobody. What is asked about it loses its connection, too.
        setImmediate(() => {
          proxy.cutAll()
          proxy.cutAfter(at)
        })
      })
      const isTold = await write.then(
        () => true,
        (error: unknown) => {
          assert.ok(error instanceof StorageUnavailable, String(error))
          return false
        },
      )
      isOver = proxy.isArmed
      proxy.disarm()
      if (isTold) {
        const owners = await untilTaken(() => ownersOf(database))
        assert.ok(owners.includes(owner), `it is lost when the connection is cut at message ${at}`)
      }
    }
  }))

test('a write whose commit is never answered is told to be in doubt, and happened once or not at all', () =>
  withProxy(async ({ database, proxy, told }) => {
    const write = database.write(async (work) => {
      work.write(sql`INSERT INTO identities (owner, is_known) VALUES ('alice', true)`)
      await work.readClock()
      setImmediate(() => proxy.hold())
    })
    const doubt = assert.rejects(write, FateUnknown)
    while (!told.includes('unavailable')) await new Promise((resolve) => setTimeout(resolve, ASK_AGAIN_MS))
    const later = new Promise((resolve) => setImmediate(() => resolve('not known')))
    const isKnown = await Promise.race([doubt.then(() => 'known'), later])
    assert.equal(isKnown, 'not known', 'the service says so before anybody knows what became of the write')
    await doubt
    proxy.release()
    assert.ok((await untilTaken(() => ownersOf(database))).length <= 1)
  }))

for (const isPooled of [false, true]) {
  const where = isPooled ? ', behind a pooler too' : ''

  test(`a lock of a table that never comes refuses those who write, and the next ones at once, until it is given back${where}`, () =>
    withProxy(
      async ({ database, told, other }) => {
        await insert(database, 'alice')
        await other.query('BEGIN')
        await other.query('LOCK TABLE identities IN SHARE MODE')
        await isRefused(insert(database, 'bob'))
        assert.deepEqual(told, ['lock'])
        // The first ones wait for the lock, until a probe has waited, too.
        for (let tries = 1, isAtOnce = false; !isAtOnce; tries += 1) {
          assert.ok(tries < WRITES_UNTIL_PROBED_MAX, 'each one waits for the lock')
          const write = insert(database, 'bob')
          isAtOnce = (await waits(write)) === 'StorageUnavailable'
          await isRefused(write)
        }
        assert.deepEqual(await ownersOf(database), ['alice'], 'reads do not wait for this lock')
        await other.query('ROLLBACK')
        await untilTaken(() => insert(database, 'carol'))
        assert.deepEqual(await ownersOf(database), ['alice', 'carol'])
      },
      { isPooled },
    ))
}

test('a lock of a table that keeps reads away refuses all that wait for it together, and the next ones at once', () =>
  withProxy(async ({ database, told, other }) => {
    await insert(database, 'alice')
    // On every session, so that none waits for its plan.
    for (let n = 0; n < READERS_MAX; n += 1) await ownersOf(database)
    await other.query('BEGIN')
    await other.query('LOCK TABLE identities IN ACCESS EXCLUSIVE MODE')
    const reads = Array.from({ length: 20 }, () => ownersOf(database))
    await Promise.all(reads.map(isRefused))
    assert.ok(told.length <= READERS_MAX, 'most did not wait for a lock of their own')
    await isRefusedAtOnce(ownersOf(database))
    await other.query('ROLLBACK')
    assert.deepEqual(await untilTaken(() => ownersOf(database)), ['alice'])
  }))

test('a lock of one row that never comes refuses who waits for it, and others go on', () =>
  withProxy(async ({ database, told, other }) => {
    await insert(database, 'alice')
    await other.query('BEGIN')
    await other.query("SELECT FROM identities WHERE owner = 'alice' FOR UPDATE")
    const change = () =>
      database.write(async (work) => work.write(sql`UPDATE identities SET is_known = false WHERE owner = 'alice'`))
    await isRefused(change())
    await insert(database, 'bob')
    assert.deepEqual(told, ['lock'], 'the database takes writes')
    await other.query('ROLLBACK')
    await untilTaken(change)
  }))
