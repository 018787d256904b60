import assert from 'node:assert/strict'
import { test as always } from 'node:test'
import { openPostgresStore } from '../../../../src/store/postgres/postgres-store.js'
import { StorageUnavailable } from '../../../../src/store/refusals.js'
import type { Store } from '../../../../src/store/store.js'
import { depositFact, walletAssigned, walletCreated } from '../../../support/fixtures.js'
import { ManualClock } from '../../../support/manual-clock.js'
import { administer } from '../../../support/postgres-database.js'
import { assertSoundDatabase, createDatabase, postgresStoreOptions } from '../../../support/postgres-harness.js'
import { postgresForTests } from '../../../support/postgres-tests.js'

/*
 * An upgrade of one service after the other: processes of an older version run on beside the first one of this version. What is
 * played of them is what they send to the database.
 */

const server = await postgresForTests()

/** Skipped where there is no PostgreSQL. */
const test = server === null ? always.skip : always

/** The newest version whose processes know nothing of what was decided since. */
const OLDER = 19
/** Makes a database of this version one of that version again. */
const AS_OLDER = [
  `UPDATE billhook SET version = ${OLDER}, oldest = 16`,
  'DROP TABLE committed',
  'CREATE TABLE units (id uuid PRIMARY KEY, at bigint NOT NULL)',
  'CREATE INDEX units_at ON units (at)',
]
const HOLDER = '00000000-0000-4000-8000-000000000001'
const NETWORK = 'SEP'

/** What an older process does, as its transactions. Each ends as all of them do. */
const TRANSACTIONS: Readonly<Record<string, readonly string[]>> = {
  'renews its lease': [`UPDATE leases SET expires_at = 9000000000000 WHERE name = 'service' AND holder = '${HOLDER}'`],
  'undoes a block whose deposits are set aside': [
    "SELECT 1 FROM leases WHERE name = 'service' AND term = 1 FOR KEY SHARE",
    `SELECT network FROM chains WHERE network = '${NETWORK}' FOR UPDATE`,
    `DELETE FROM block_deposits WHERE network = '${NETWORK}' AND height > 9`,
    `DELETE FROM blocks WHERE network = '${NETWORK}' AND height > 9`,
    `UPDATE chains SET confirmed = 9 WHERE network = '${NETWORK}'`,
  ],
  'records a deposit that the gateway pushed': [
    `INSERT INTO addresses (network, address) VALUES ('${NETWORK}', 'x')`,
    `INSERT INTO answered_events (id, at) VALUES ('pushed', 0)`,
  ],
  'makes a wallet': [`INSERT INTO wallets (id, network, address, leased_until) VALUES ('w', '${NETWORK}', 'y', 0)`],
}

async function act(url: string, statements: readonly string[]): Promise<void> {
  const said = `INSERT INTO units (id, at) VALUES (gen_random_uuid(), 0)`
  await administer(url, 'BEGIN', ...statements, said, 'COMMIT')
}

async function olderDatabase(): Promise<string> {
  assert.ok(server !== null)
  const url = await createDatabase(server)
  const store = await openPostgresStore(postgresStoreOptions(url))
  await store.ledger.applyFacts([{ eventId: null, fact: walletCreated('wallet-1') }])
  await store.close()
  await administer(
    url,
    ...AS_OLDER,
    `INSERT INTO leases (name, holder, expires_at, term) VALUES ('service', '${HOLDER}', 5000, 1)`,
    `INSERT INTO blocks (network, height, hash, parent_hash, time_ms) VALUES ('${NETWORK}', 9, 'i', 'h', 9), ('${NETWORK}', 10, 'j', 'i', 10)`,
    `UPDATE chains SET confirmed = 10 WHERE network = '${NETWORK}'`,
    `INSERT INTO blocks_aside VALUES ('${NETWORK}', 10, 'j', 'no', 1, 1, 1, '{}', '{}')`,
  )
  return url
}

/** Everything that a transaction could have changed. */
function contentOf(url: string): Promise<readonly unknown[]> {
  const tables = ['leases', 'chains', 'blocks', 'blocks_aside', 'addresses', 'wallets', 'answered_events']
  return administer(
    url,
    tables.map((table) => `SELECT to_jsonb(${table}.*)::text AS row FROM ${table}`).join(' UNION ALL '),
  )
}

for (const [what, statements] of Object.entries(TRANSACTIONS)) {
  test(`a process of version ${OLDER} that ${what} beside this version is refused, with nothing changed`, async () => {
    // Where no process of this version has been, it may.
    await act(await olderDatabase(), statements)
    const url = await olderDatabase()
    const store = await openPostgresStore(postgresStoreOptions(url))
    const before = await contentOf(url)
    // It answers 503 to that: it has known such an error since version 3.
    await assert.rejects(act(url, statements), { code: '42P01', message: 'relation "units" does not exist' })
    assert.deepEqual(await contentOf(url), before)
    await store.close()
    await assertSoundDatabase(url)
  })
}

test('this version leads as soon as the lease of an older leader has ended, which can renew it no more', async () => {
  const url = await olderDatabase()
  const clock = new ManualClock()
  await administer(url, `UPDATE leases SET expires_at = ${clock.now() + 1}`)
  const store = await openPostgresStore({ ...postgresStoreOptions(url), clock })
  await assert.rejects(act(url, TRANSACTIONS['renews its lease'] ?? []))
  clock.advance(2)
  const told: string[] = []
  await store.leadership.stand({ begin: async () => void told.push('begin'), end: async () => {} })
  assert.deepEqual(told, ['begin'])
  await store.leadership.resign()
  await store.close()
})

/** What a process of this version says beside a later one that shut it out in the same way. */
async function pushTo(store: Store): Promise<unknown> {
  const [fate] = await store.commands.perform([
    { type: 'deposit', eventId: null, fact: depositFact('confirmed', { network: NETWORK, txHash: 'tx' }) },
  ])
  return fate?.status === 'rejected' ? fate.reason : undefined
}

test('a process of this version beside a later one that shuts it out says that it is to be replaced', async () => {
  const url = await olderDatabase()
  const store = await openPostgresStore(postgresStoreOptions(url))
  await store.ledger.applyFacts([{ eventId: null, fact: walletAssigned('wallet-1', 'alice') }])
  await administer(url, 'ALTER TABLE committed RENAME TO later')
  const reason = await pushTo(store)
  assert.ok(reason instanceof StorageUnavailable)
  assert.ok(reason.cause instanceof Error)
  assert.match(reason.cause.message, /^a newer Billhook has changed the tables: replace this program/)
  await administer(url, 'ALTER TABLE later RENAME TO committed')
  await store.close()
})

test('a process that does not know this version is to be refused at its start', async () => {
  const url = await olderDatabase()
  await (await openPostgresStore(postgresStoreOptions(url))).close()
  // It starts beside a later version unless the oldest one is later, too.
  const [row] = await administer(url, 'SELECT oldest::integer FROM billhook')
  assert.deepEqual(row, { oldest: 20 })
})
