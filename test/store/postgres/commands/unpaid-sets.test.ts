import assert from 'node:assert/strict'
import { test as always } from 'node:test'
import { placeName } from '../../../../src/store/postgres/commands/names.js'
import { unpaidSets } from '../../../../src/store/postgres/commands/unpaid-sets.js'
import { setIdOf } from '../../../../src/store/postgres/invoices/invoice-rows.js'
import { openPostgresStore } from '../../../../src/store/postgres/postgres-store.js'
import { invoiceRequest, walletAssigned, walletCreated } from '../../../support/fixtures.js'
import { ManualClock } from '../../../support/manual-clock.js'
import { administer, openDatabase } from '../../../support/postgres-database.js'
import { createDatabase, postgresStoreOptions } from '../../../support/postgres-harness.js'
import { postgresForTests } from '../../../support/postgres-tests.js'

const server = await postgresForTests()

/** Skipped where there is no PostgreSQL. */
const test = server === null ? always.skip : always

const WALLETS = ['one', 'two', 'three', 'four']
const OPEN_EACH = 100
const EXPIRES_IN_SECONDS = 60

interface Filled {
  readonly walletIds: readonly string[]
  /** The invoice that does not expire; null for none. */
  readonly unpaid: number | null
}

/** Sets of which each has many open invoices that are void by the clock, and at most one that is not. */
const FILLED: readonly Filled[] = [
  { walletIds: ['one'], unpaid: OPEN_EACH - 1 },
  { walletIds: ['one', 'two'], unpaid: 0 },
  { walletIds: ['one', 'two', 'three'], unpaid: null },
  { walletIds: ['four', 'one'], unpaid: 50 },
]

test('of each set on a crowded wallet as few invoices are read as say whether one is unpaid', async () => {
  if (server === null) throw new Error('a skipped test asks for its server')
  const url = await createDatabase(server)
  const clock = new ManualClock()
  const store = await openPostgresStore({ ...postgresStoreOptions(url), clock })
  for (const id of WALLETS) {
    const facts = [walletCreated(id), walletAssigned(id, 'alice')]
    await store.ledger.applyFacts(facts.map((fact) => ({ eventId: null, fact })))
  }
  let amount = 0
  for (const { walletIds, unpaid } of FILLED) {
    const requests = Array.from({ length: OPEN_EACH }, (_, n) => {
      const currency = n % 2 === 0 ? 'USDT' : 'native'
      const expiry = n === unpaid ? {} : { expiresInSeconds: EXPIRES_IN_SECONDS }
      return invoiceRequest({ walletIds, currency, amount: `${++amount}`, ...expiry })
    })
    const fates = await store.commands.perform(requests.map((request) => ({ type: 'invoice' as const, request })))
    for (const fate of fates) {
      assert.ok(fate.status === 'fulfilled' && fate.value.type === 'invoice' && fate.value.outcome.ok)
    }
  }
  await store.close()
  clock.advance(2 * EXPIRES_IN_SECONDS * 1000)
  await administer(url, 'SELECT pg_stat_reset()')
  const database = await openDatabase(url, clock)
  try {
    const places = ['one', 'two'].map((wallet_id) => ({ wallet_id, owner: 'alice' }))
    const nameOf = (walletIds: readonly string[]) => setIdOf(walletIds).toString('hex')
    const [found, none] = await database.write(async (work) => {
      await work.readClock()
      return [await unpaidSets(work, places), await unpaidSets(work, [])]
    })
    assert.deepEqual(
      found,
      new Map([
        [placeName('one', 'alice'), new Set([['one'], ['one', 'two'], ['four', 'one']].map(nameOf))],
        [placeName('two', 'alice'), new Set([nameOf(['one', 'two'])])],
      ]),
    )
    assert.deepEqual(none, new Map())
  } finally {
    // What a session has counted is known at the latest when it ends.
    await database.close()
  }
  const [row] = await administer(
    url,
    "SELECT idx_tup_fetch::int AS read FROM pg_stat_user_tables WHERE relname = 'invoices'",
  )
  const { read } = row as { readonly read: number }
  // All of the set that has no unpaid one, and of the others so many as come before theirs and are read with them.
  assert.ok(read >= OPEN_EACH && read < FILLED.length * OPEN_EACH, `${read} invoices were read`)
})
