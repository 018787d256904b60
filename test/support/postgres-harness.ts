import assert from 'node:assert/strict'
import pg from 'pg'
import { parseDatabaseAddress } from '../../src/base/database-address.js'
import { createPooledRandom, IdGenerator, randomKeyId } from '../../src/crypto/id.js'
import { DAY_MS } from '../../src/domain/api-key.js'
import { LATE_DAYS_DEFAULT } from '../../src/domain/voiding.js'
import { systemScheduler } from '../../src/scheduler.js'
import { openPostgresStore, type PostgresStoreOptions } from '../../src/store/postgres/postgres-store.js'
import { checkDatabase } from '../../src/store/postgres/upkeep/check.js'
import type { Store } from '../../src/store/store.js'
import type { Violation } from '../../src/store/upkeep.js'
import type { StoreHarness } from '../contract/store/harness.js'
import { assertFound } from './check-data.js'
import { ManualClock } from './manual-clock.js'
import { TEST_NETWORKS } from './networks.js'
import type { PostgresServer } from './postgres-server.js'
import { ReusedDatabase } from './reused-database.js'

/** Options of a store on PostgreSQL for tests: real ids, and secrets that count up. */
export function postgresStoreOptions(url: string): Omit<PostgresStoreOptions, 'clock'> {
  const random = createPooledRandom()
  const ids = new IdGenerator(random)
  let secrets = 0
  const address = parseDatabaseAddress(url)
  if (address === undefined) throw new Error(`${url} is no address of a database`)
  return {
    address,
    networks: TEST_NETWORKS,
    flawOfAddress: () => null,
    areWalletsShared: true,
    lateMs: LATE_DAYS_DEFAULT * DAY_MS,
    underpayment: 0,
    areCoinsMixed: true,
    kind: 'real',
    mayBegin: true,
    promises: 'concurrency',
    newId: (nowMs) => ids.next(nowMs),
    scheduler: systemScheduler,
    randomKeyId: () => randomKeyId(random),
    randomSecretHex: () => (++secrets).toString(16).padStart(64, '0'),
  }
}

let databases = 0

/** Makes a database on a server, empty or as another one is, and answers its address. */
export async function createDatabase(server: Pick<PostgresServer, 'url'>, template = 'template1'): Promise<string> {
  // Several processes of tests may share the server.
  const name = `test_${process.pid}_${++databases}`
  const client = new pg.Client({ connectionString: server.url() })
  await client.connect()
  await client.query(`CREATE DATABASE ${name} TEMPLATE ${template}`)
  await client.end()
  return server.url(name)
}

/** Databases that a harness has left empty. */
const empty: ReusedDatabase[] = []

/** A store alone in a database, which it leaves empty. */
export async function openPostgresHarness(server: PostgresServer): Promise<StoreHarness> {
  const database = empty.pop() ?? new ReusedDatabase(await createDatabase(server))
  const clock = new ManualClock()
  let failure: Error | null = null
  let flaw: RegExp | null = null
  const base = { ...postgresStoreOptions(database.url), address: database.address }
  const options: PostgresStoreOptions = {
    ...base,
    clock,
    newId: (nowMs) => {
      if (failure !== null) throw failure
      return base.newId(nowMs)
    },
  }
  let store: Store = await openPostgresStore(options)
  return {
    get store() {
      return store
    },
    clock,
    failIds(error) {
      failure = error
    },
    async reopen(changed = {}) {
      await store.close()
      store = await openPostgresStore({ ...options, ...changed })
    },
    expectFlaw(what) {
      flaw = what
    },
    async discard() {
      await store.close()
      await database.assertSound(flaw)
      await database.empty()
      empty.push(database)
    },
  }
}

/** A check finds no contradiction in a database but `flaw`. */
export async function assertSoundDatabase(url: string, flaw: RegExp | null = null): Promise<void> {
  const address = parseDatabaseAddress(url)
  assert.ok(address !== undefined)
  const found: Violation[] = []
  const check = checkDatabase(address, (violation) => found.push(violation))
  for (let step = await check.next(); step.done !== true; ) step = await check.next()
  assertFound(found, flaw)
}
