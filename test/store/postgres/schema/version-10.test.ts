import assert from 'node:assert/strict'
import { test as always } from 'node:test'
import type { DepositReport } from '../../../../src/domain/deposit.js'
import { StartStopped } from '../../../../src/operator-error.js'
import type { MigrationControl } from '../../../../src/store/migration.js'
import { openPostgresStore } from '../../../../src/store/postgres/postgres-store.js'
import type { Store } from '../../../../src/store/store.js'
import { Scenario } from '../../../contract/store/harness.js'
import { addressOf, unwrap } from '../../../support/fixtures.js'
import { ManualClock } from '../../../support/manual-clock.js'
import { quiet } from '../../../support/migration.js'
import { administer } from '../../../support/postgres-database.js'
import { assertSoundDatabase, createDatabase, postgresStoreOptions } from '../../../support/postgres-harness.js'
import { postgresForTests } from '../../../support/postgres-tests.js'

const server = await postgresForTests()

/** Skipped where there is no PostgreSQL. */
const test = server === null ? always.skip : always

const HOOK = 'https://shop.example/hook'
/** More than are matched in one piece. */
const MANY = 550

/** Makes a database of this version one of version 10 again, which matched only what could be notified. */
const AS_VERSION_10 = [
  `UPDATE deposits SET invoice_id = NULL WHERE invoice_id IN (SELECT id FROM invoices WHERE reference IS NULL OR voided_at IS NOT NULL)`,
  `UPDATE invoices SET matches = 0 WHERE reference IS NULL OR voided_at IS NOT NULL`,
  `UPDATE paid_places SET is_unmatched = false FROM invoices AS i WHERE i.id = invoice_id AND i.reference IS NULL`,
  'ALTER TABLE deposits DROP COLUMN is_late',
  'ALTER TABLE invoices DROP COLUMN matched_seen, DROP COLUMN matched_confirmed',
  'DROP TABLE received_spans',
  `CREATE TABLE received_sums (
     address_id bigint, currency text, shift smallint, start bigint, seen numeric NOT NULL, confirmed numeric NOT NULL,
     PRIMARY KEY (address_id, currency, shift, start))`,
  `INSERT INTO received_sums
     SELECT address_id, counted_as, shift, (received_at >> shift) << shift, sum(atoms),
       coalesce(sum(atoms) FILTER (WHERE kind = 'confirmed'), 0)
     FROM deposits CROSS JOIN (VALUES (0), (6), (12), (18), (24), (30), (36), (42)) AS size (shift)
     WHERE counted_as IS NOT NULL AND kind <> 'dropped' GROUP BY 1, 2, 3, 4`,
  'DROP INDEX deposits_matched, deposits_unmatched',
  'CREATE INDEX deposits_received ON deposits (address_id, counted_as, received_at, no)',
  'DROP TABLE void_places, matching, committed',
  'CREATE TABLE writes (id uuid PRIMARY KEY, at bigint NOT NULL)',
  'CREATE INDEX writes_at ON writes (at)',
  'UPDATE billhook SET version = 10, oldest = 7',
]

/** Opens the store and plays on it. */
async function play<T>(url: string, run: (t: Scenario, store: Store) => Promise<T>): Promise<T> {
  const clock = new ManualClock()
  const store = await openPostgresStore({ ...postgresStoreOptions(url), clock })
  const fails = () => assert.fail()
  try {
    return await run(
      new Scenario({ store, clock, failIds() {}, expectFlaw() {}, reopen: fails, discard: fails }),
      store,
    )
  } finally {
    await store.close()
  }
}

/** Wallets that were used again, late payers, parts, and what came to nobody. Answers what each of alice's invoices had of its own. */
async function month(t: Scenario): Promise<Readonly<Record<string, unknown>>> {
  await t.own('alice', 'again', 'parts', 'late', 'told')
  await t.own('bob', 'nobody')
  let count = 0
  const pay = async (wallet: string, amount: string, kind: DepositReport = 'confirmed') => {
    t.clock.advance(1000)
    count += 1
    await t.deposit(kind, { txHash: `tx ${count}`, toAddress: addressOf(wallet), amount, receivedAt: t.clock.now() })
  }
  const make = (wallet: string, name: string, amount: string, fields = {}) => {
    t.clock.advance(1000)
    return t.invoice({ walletIds: [wallet], name, amount, ...fields })
  }
  await make('again', 'A', '25')
  await pay('again', '25')
  unwrap(await t.void((await make('again', 'C', '40')).id))
  await make('again', 'B', '60')
  await pay('again', '60')
  await pay('again', '0.5')
  await make('parts', 'E', '10')
  await pay('parts', '4')
  await pay('parts', '6')
  await make('parts', 'F', '7')
  await pay('parts', '3')
  unwrap(await t.void((await make('late', 'G', '5', { reference: 'g', callbackUrl: HOOK })).id))
  await pay('late', '4')
  await make('told', 'H', '9', { reference: 'h', callbackUrl: HOOK })
  await pay('told', '9.5')
  await pay('nobody', '8')
  for (let n = 0; n < MANY; n += 1) await pay('parts', '0.001')
  return ownOf(t)
}

async function ownOf(t: Scenario): Promise<Readonly<Record<string, unknown>>> {
  const { items } = await t.store.invoices.pageWithPayment('alice', { after: null, limit: 99 })
  for (const { invoice } of items) await t.assertDepositsSum(invoice)
  return Object.fromEntries(items.map(({ invoice, own, payment }) => [invoice.name, [own.received, payment.overpaid]]))
}

test('data of version 10 opens with every confirmed deposit matched to the invoice that it was for', async () => {
  assert.ok(server !== null)
  const url = await createDatabase(server)
  const before = await play(url, month)
  assert.deepEqual(
    [before['A'], before['B'], before['C'], before['G']],
    [
      ['25', '0'],
      ['60.5', '0.5'],
      ['0', '0'],
      ['4', '0'],
    ],
  )
  await administer(url, ...AS_VERSION_10)
  // It goes on where it was stopped.
  let pieces = 0
  const stops: MigrationControl = { ...quiet(), isStopping: () => ++pieces === 1 }
  await assert.rejects(openPostgresStore({ ...postgresStoreOptions(url), migration: stops }), StartStopped)
  assert.equal((await administer(url, 'SELECT 1 FROM matching')).length, 1)
  await assert.rejects(assertSoundDatabase(url), /is not wholly brought to version/)
  assert.deepEqual(await play(url, ownOf), before)
  assert.deepEqual(await administer(url, 'SELECT 1 FROM matching'), [])
  await assertSoundDatabase(url)
  // A process of that version would match nothing, and can write nothing any more.
  await assert.rejects(administer(url, 'INSERT INTO writes (id, at) VALUES (gen_random_uuid(), 0)'), /writes/)
})

test('services that start at once match the deposits of before in turn', async () => {
  assert.ok(server !== null)
  const url = await createDatabase(server)
  const before = await play(url, month)
  await administer(url, ...AS_VERSION_10)
  const stores = await Promise.all([1, 2, 3].map(() => openPostgresStore(postgresStoreOptions(url))))
  for (const store of stores) await store.close()
  assert.deepEqual(await play(url, ownOf), before)
  await assertSoundDatabase(url)
})
