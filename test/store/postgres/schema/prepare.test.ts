import assert from 'node:assert/strict'
import { test as always } from 'node:test'
import type { DepositReport, Sighting } from '../../../../src/domain/deposit.js'
import { OperatorError } from '../../../../src/operator-error.js'
import { openPostgresStore } from '../../../../src/store/postgres/postgres-store.js'
import { SCHEMA_VERSION } from '../../../../src/store/postgres/schema/prepare.js'
import { StorageUnavailable } from '../../../../src/store/refusals.js'
import type { Store } from '../../../../src/store/store.js'
import { addressOf, invoiceRequest, walletAssigned, walletCreated } from '../../../support/fixtures.js'
import { administer } from '../../../support/postgres-database.js'
import { assertSoundDatabase, createDatabase, postgresStoreOptions } from '../../../support/postgres-harness.js'
import { PostgresServer } from '../../../support/postgres-server.js'
import { postgresForTests } from '../../../support/postgres-tests.js'

const server = await postgresForTests()

/** Skipped where there is no PostgreSQL. */
const test = server === null ? always.skip : always

function present(): PostgresServer {
  if (server === null) throw new Error('a skipped test asks for its server')
  return server
}

const STORES = 8
const DATABASES = 3

/** Closes the store behind it. */
async function withStore<T>(url: string, run: (store: Store) => Promise<T>): Promise<T> {
  const store = await openPostgresStore(postgresStoreOptions(url))
  try {
    return await run(store)
  } finally {
    await store.close()
  }
}

/** Makes an invoice, on a wallet of its own. */
async function createInvoice(store: Store, walletId: string): Promise<void> {
  for (const fact of [walletCreated(walletId), walletAssigned(walletId, 'alice')]) {
    await store.ledger.applyFacts([{ eventId: null, fact }])
  }
  const [fate] = await store.commands.perform([{ type: 'invoice', request: invoiceRequest({ walletIds: [walletId] }) }])
  assert.ok(fate?.status === 'fulfilled' && fate.value.type === 'invoice' && fate.value.outcome.ok)
}

async function countInvoices(store: Store): Promise<number> {
  return (await store.invoices.page('alice', { after: null, limit: 100 })).items.length
}

function versionOf(url: string): Promise<readonly unknown[]> {
  return administer(url, 'SELECT version::integer FROM billhook')
}

/** What the database has, by name. */
function relationsOf(url: string): Promise<readonly unknown[]> {
  return administer(
    url,
    "SELECT relname, relkind FROM pg_class WHERE relnamespace = 'public'::regnamespace ORDER BY relname",
  )
}

test('several stores that open at once on an empty database make the tables once, and all of them work', async () => {
  for (let n = 0; n < DATABASES; n += 1) {
    const url = await createDatabase(present())
    const stores = await Promise.all(Array.from({ length: STORES }, () => openPostgresStore(postgresStoreOptions(url))))
    await Promise.all(stores.map((store, i) => createInvoice(store, `wallet-${i}`)))
    for (const store of stores) {
      assert.equal(await countInvoices(store), STORES)
      await store.close()
    }
    assert.deepEqual(await versionOf(url), [{ version: SCHEMA_VERSION }])
  }
})

test('a start makes nothing anew in a database that has this version', async () => {
  const url = await createDatabase(present())
  await withStore(url, (store) => createInvoice(store, 'wallet-1'))
  // The transaction that wrote the version last.
  const written = () => administer(url, 'SELECT xmin::text FROM billhook')
  const before = await written()
  assert.equal(await withStore(url, countInvoices), 1)
  assert.deepEqual(await written(), before)
})

/** What may be missing of a version that was interrupted. */
const INTERRUPTIONS: readonly (readonly [name: string, ...statements: string[]])[] = [
  ['only its number'],
  ['its last table', 'DROP TABLE event_heads'],
  ['an index', 'DROP INDEX invoices_owner'],
  ['a sequence', 'DROP SEQUENCE assignments'],
  [
    'all that version 2 has brought',
    'UPDATE billhook SET version = 1',
    'DROP TABLE change_log, allowances',
    'ALTER TABLE leases DROP COLUMN term',
    'ALTER TABLE billhook DROP COLUMN oldest',
  ],
]

for (const [missing, ...statements] of INTERRUPTIONS) {
  test(`a version that lacks ${missing} is completed, and keeps what is there`, async () => {
    const url = await createDatabase(present())
    await withStore(url, (store) => createInvoice(store, 'wallet-1'))
    const whole = await relationsOf(url)
    await administer(url, 'UPDATE billhook SET version = 0', ...statements)
    await withStore(url, async (store) => {
      assert.equal(await countInvoices(store), 1)
      await createInvoice(store, 'wallet-2')
      assert.equal(await countInvoices(store), 2)
    })
    assert.deepEqual(await relationsOf(url), whole)
    assert.deepEqual(await versionOf(url), [{ version: SCHEMA_VERSION }])
  })
}

/** Makes the database one of version 2, whose sums had spans of 256ⁿ ms. */
const AS_VERSION_2 = [
  'DROP TABLE received_spans',
  `CREATE TABLE sums (
     address_id bigint, currency text, shift smallint, start bigint, seen numeric NOT NULL, confirmed numeric NOT NULL,
     PRIMARY KEY (address_id, currency, shift, start))`,
  `INSERT INTO sums SELECT address_id, counted_as, shift, (received_at >> shift) << shift, sum(atoms), 0
     FROM deposits CROSS JOIN (VALUES (0), (8), (16), (24), (32), (40)) AS size (shift) GROUP BY 1, 2, 3, 4`,
  'UPDATE billhook SET version = 2, oldest = 2',
]

/** Makes it one of version 19, whose sums had spans of 64ⁿ ms. */
const AS_VERSION_19 = [
  'DROP TABLE received_spans',
  `CREATE TABLE received_sums (
     address_id bigint, currency text, shift smallint, start bigint, seen numeric NOT NULL, confirmed numeric NOT NULL,
     unmatched_seen numeric NOT NULL, unmatched_confirmed numeric NOT NULL, PRIMARY KEY (address_id, currency, shift, start))`,
  `INSERT INTO received_sums
     SELECT address_id, counted_as, shift, (received_at >> shift) << shift, sum(atoms),
       coalesce(sum(atoms) FILTER (WHERE kind = 'confirmed'), 0), coalesce(sum(atoms) FILTER (WHERE invoice_id IS NULL), 0),
       coalesce(sum(atoms) FILTER (WHERE invoice_id IS NULL AND kind = 'confirmed'), 0)
     FROM deposits CROSS JOIN (VALUES (0), (6), (12), (18), (24), (30), (36), (42)) AS size (shift)
     WHERE kind <> 'dropped' GROUP BY 1, 2, 3, 4`,
  'UPDATE billhook SET version = 19, oldest = 16',
]

for (const [version, statements] of [
  [2, AS_VERSION_2],
  [19, AS_VERSION_19],
] as const) {
  test(`the sums of version ${version} are made anew, and a program of that version that still runs is told to wait`, () =>
    assertSumsMadeAnew(statements))
}

async function assertSumsMadeAnew(asBefore: readonly string[]): Promise<void> {
  const url = await createDatabase(present())
  const pay = async (store: Store, txHash: string, report: DepositReport) => {
    const fact = { type: 'deposit', report, sighting: { ...sightingAt('wallet-1'), txHash } } as const
    const [fate] = await store.commands.perform([{ type: 'deposit', eventId: null, fact }])
    return fate
  }
  const paymentIn = async (store: Store) => {
    const [{ id } = { id: '' }] = (await store.invoices.page('alice', { after: null, limit: 1 })).items
    return (await store.invoices.findWithPayment(id))?.payment
  }
  const before = await withStore(url, async (store) => {
    await createInvoice(store, 'wallet-1')
    await pay(store, 'tx-1', 'confirmed')
    await pay(store, 'tx-2', 'pending')
    await pay(store, 'tx-3', 'confirmed')
    await pay(store, 'tx-3', 'dropped')
    return paymentIn(store)
  })
  assert.deepEqual([before?.received, before?.pending], ['2', '2'])
  await administer(url, ...asBefore)
  assert.deepEqual(await withStore(url, paymentIn), before)
  await assertSoundDatabase(url)
  await withStore(url, async (store) => {
    await administer(url, 'ALTER TABLE received_spans RENAME TO taken_away')
    const fate = await pay(store, 'tx-4', 'confirmed')
    assert.ok(fate?.status === 'rejected' && fate.reason instanceof StorageUnavailable, String(fate?.status))
    await administer(url, 'ALTER TABLE taken_away RENAME TO received_spans')
    assert.equal((await pay(store, 'tx-4', 'confirmed'))?.status, 'fulfilled')
  })
}

test('of wallets of version 4 the first assignment says since when a network has had them, or else the upgrade', async () => {
  const url = await createDatabase(present())
  const began = Date.now()
  await withStore(url, async (store) => {
    const facts = [
      walletCreated('wallet-1'),
      walletAssigned('wallet-1', 'alice'),
      walletCreated('wallet-2', 'TRX-NILE'),
    ]
    for (const fact of facts) await store.ledger.applyFacts([{ eventId: null, fact }])
  })
  await administer(
    url,
    'UPDATE billhook SET version = 4',
    'ALTER TABLE chains DROP COLUMN watched_at, DROP COLUMN watched_as, DROP COLUMN first_wallet_at',
    'UPDATE wallets SET assigned_at = 1000 WHERE owner IS NOT NULL',
  )
  await withStore(url, async ({ chain }) => {
    assert.equal((await chain.watch('SEP')).firstWalletAt, 1000)
    assert.ok(((await chain.watch('TRX-NILE')).firstWalletAt ?? 0) >= began)
    assert.equal((await chain.watch('BNB')).firstWalletAt, null)
  })
  await assertSoundDatabase(url)
})

test('data of version 5, in which nothing was set aside, gets tables for that, and keeps what it has', async () => {
  const url = await createDatabase(present())
  await withStore(url, (store) => createInvoice(store, 'wallet-1'))
  await administer(url, 'UPDATE billhook SET version = 5', 'DROP TABLE blocks_aside', 'DROP TABLE deposits_aside')
  await withStore(url, async (store) => {
    assert.deepEqual([await store.aside.blocks('SEP'), await store.aside.deposits()], [[], []])
    assert.equal(await countInvoices(store), 1)
  })
  assert.deepEqual(await versionOf(url), [{ version: SCHEMA_VERSION }])
  await assertSoundDatabase(url)
})

/** Two coins to a wallet, behind every invoice. */
function sightingAt(walletId: string): Omit<Sighting, 'txHash'> {
  const toAddress = addressOf(walletId)
  return { network: 'SEP', index: 0, toAddress, currency: '#native', amount: '2', receivedAt: Date.now() + 60_000 }
}

test('a start that is refused by the database leaves nothing half made, and the next one makes everything', async () => {
  const url = await createDatabase(present())
  await administer(
    url,
    `CREATE FUNCTION refuse() RETURNS event_trigger LANGUAGE plpgsql AS $$ BEGIN
       IF EXISTS (SELECT FROM pg_event_trigger_ddl_commands() WHERE object_identity = 'public.event_heads') THEN
         RAISE EXCEPTION USING ERRCODE = 'disk_full', MESSAGE = 'no space left';
       END IF;
     END $$`,
    'CREATE EVENT TRIGGER refusing ON ddl_command_end EXECUTE FUNCTION refuse()',
  )
  await assert.rejects(openPostgresStore(postgresStoreOptions(url)), isOperatorError(/no space left/))
  assert.deepEqual(await relationsOf(url), [])
  await administer(url, 'DROP EVENT TRIGGER refusing')
  await withStore(url, (store) => createInvoice(store, 'wallet-1'))
})

test('data of a later version is refused, and stays as it is', async () => {
  const url = await createDatabase(present())
  await withStore(url, (store) => createInvoice(store, 'wallet-1'))
  const later = SCHEMA_VERSION + 1
  await administer(url, `UPDATE billhook SET version = ${later}, oldest = ${later}`)
  await assert.rejects(
    openPostgresStore(postgresStoreOptions(url)),
    isOperatorError(
      new RegExp(`has version ${later} of the data; this program knows versions up to ${SCHEMA_VERSION}`),
    ),
  )
  assert.deepEqual(await versionOf(url), [{ version: later }])
})

test('a program goes on beside a later version of the data that lets it, and leaves the version as it is', async () => {
  const url = await createDatabase(present())
  await withStore(url, (store) => createInvoice(store, 'wallet-1'))
  const later = SCHEMA_VERSION + 1
  await administer(url, `UPDATE billhook SET version = ${later}, oldest = ${SCHEMA_VERSION}`)
  await withStore(url, (store) => createInvoice(store, 'wallet-2'))
  assert.deepEqual(await versionOf(url), [{ version: later }])
})

test('data of a sandbox and of real wallets are kept apart', async () => {
  const url = await createDatabase(present())
  const open = (kind: 'sandbox' | 'real') => openPostgresStore({ ...postgresStoreOptions(url), kind })
  await (await open('sandbox')).close()
  await assert.rejects(open('real'), isOperatorError(/belongs to a sandbox/))
  await (await open('sandbox')).close()
})

test('a database that takes no writes is refused, with nothing made', async () => {
  const url = await createDatabase(present())
  const { pathname } = new URL(url)
  const name = pathname.slice(1)
  await administer(url, `ALTER DATABASE ${name} SET default_transaction_read_only = on`)
  await assert.rejects(openPostgresStore(postgresStoreOptions(url)), isOperatorError(/read-only/))
  assert.deepEqual(await relationsOf(url), [])
  await administer(present().url(), `ALTER DATABASE ${name} RESET default_transaction_read_only`)
  await withStore(url, (store) => createInvoice(store, 'wallet-1'))
})

test('of several servers the first one that takes writes is used', async () => {
  const url = await createDatabase(present())
  const readOnly = await PostgresServer.start({ settings: { default_transaction_read_only: 'on' } })
  const { host, pathname } = new URL(url)
  const several = `postgres://postgres@127.0.0.1:1,127.0.0.1:${readOnly.port},${host}${pathname}`
  try {
    await administer(readOnly.url(), 'SET default_transaction_read_only = off', `CREATE DATABASE ${pathname.slice(1)}`)
    await withStore(several, (store) => createInvoice(store, 'wallet-1'))
    assert.equal(await withStore(url, countInvoices), 1)
  } finally {
    await readOnly.stop()
  }
})

test('a database that cannot be reached is told without its password', async () => {
  const url = 'postgres://postgres:secret@127.0.0.1:1/billhook'
  await assert.rejects(openPostgresStore(postgresStoreOptions(url)), (error) => {
    assert.ok(error instanceof OperatorError)
    assert.match(error.message, /postgres:\/\/127\.0\.0\.1:1\/billhook cannot be used: .*ECONNREFUSED/)
    assert.doesNotMatch(error.message, /secret/)
    return true
  })
})

function isOperatorError(message: RegExp): (error: unknown) => boolean {
  return (error) => {
    assert.ok(error instanceof OperatorError, String(error))
    assert.match(error.message, message)
    return true
  }
}

test('an empty database becomes a store with a word, or not at all; the store keeps its id', async () => {
  const url = await createDatabase(present())
  const created: unknown[] = []
  const options = { ...postgresStoreOptions(url), onCreated: (...told: readonly unknown[]) => created.push(told) }
  const advice = ': see to its volume'
  await assert.rejects(openPostgresStore({ ...options, mayBegin: false, advice }), (error) => {
    assert.ok(error instanceof OperatorError)
    return /^the database \S+ holds no data: see to its volume$/.test(error.message)
  })
  assert.deepEqual([await relationsOf(url), created], [[], []])
  const birthOf = async (more: Partial<typeof options>) => {
    const store = await openPostgresStore({ ...options, ...more })
    await store.close()
    return store.birth
  }
  const birth = await birthOf({})
  assert.deepEqual(created, [[`the database ${options.address.shown}`, birth]])
  assert.deepEqual(await birthOf({ mayBegin: false }), birth)
  // A version of before has noted none.
  await administer(url, 'UPDATE billhook SET store_id = NULL, born_at = NULL')
  const later = await birthOf({})
  assert.notEqual(later.id, birth.id)
  assert.deepEqual(await birthOf({}), later)
  assert.equal(created.length, 1)
})
