import assert from 'node:assert/strict'
import { test as always } from 'node:test'
import { parseDatabaseAddress } from '../../../../src/base/database-address.js'
import { Database } from '../../../../src/store/postgres/connection/database.js'
import { Session } from '../../../../src/store/postgres/connection/session.js'
import { matchPiece } from '../../../../src/store/postgres/deposits/match-past.js'
import { openPostgresStore } from '../../../../src/store/postgres/postgres-store.js'
import { Scenario } from '../../../contract/store/harness.js'
import { Random } from '../../../simulation/random.js'
import { addressOf } from '../../../support/fixtures.js'
import { ManualClock } from '../../../support/manual-clock.js'
import { administer } from '../../../support/postgres-database.js'
import { createDatabase, postgresStoreOptions } from '../../../support/postgres-harness.js'
import { postgresForTests } from '../../../support/postgres-tests.js'

const server = await postgresForTests()

/** Skipped where there is no PostgreSQL. */
const test = server === null ? always.skip : always

const HOOK = 'https://shop.example/hook'
const WALLETS = ['w0', 'w1', 'w2', 'w3', 'w4', 'w5']
const CROWD = 200

/** As before there were matches: nothing is matched to anything. */
const UNMATCHED = [
  'UPDATE deposits SET invoice_id = NULL, is_late = false',
  'UPDATE invoices SET matches = 0, matched_seen = 0, matched_confirmed = 0',
  'UPDATE paid_places SET is_unmatched = true',
  'UPDATE received_spans SET unmatched_seen = seen, unmatched_confirmed = confirmed',
  'INSERT INTO matching (singleton, matched_to) VALUES (true, 0)',
]

/** All that a match writes. */
const WRITTEN = [
  'SELECT tx_hash, invoice_id, is_late FROM deposits ORDER BY tx_hash',
  'SELECT id, matches, matched_seen, matched_confirmed FROM invoices ORDER BY id',
  'SELECT invoice_id, wallet_id, is_unmatched FROM paid_places ORDER BY invoice_id, wallet_id',
  'SELECT address_id, currency, shift, start, unmatched_seen, unmatched_confirmed FROM received_spans ORDER BY 1, 2, 3, 4',
]

/** Makes a database with what `play` does in it, of which nothing is matched any more. */
async function pastOf(play: (t: Scenario) => Promise<void>): Promise<string> {
  assert.ok(server !== null)
  const url = await createDatabase(server)
  const clock = new ManualClock()
  const store = await openPostgresStore({ ...postgresStoreOptions(url), clock })
  const fails = () => assert.fail()
  await play(new Scenario({ store, clock, failIds() {}, expectFlaw() {}, reopen: fails, discard: fails }))
  await store.close()
  await administer(url, ...UNMATCHED)
  return url
}

/** Matches so many at once, and answers what was written. */
async function matched(url: string, atOnce: number): Promise<readonly (readonly unknown[])[]> {
  const address = parseDatabaseAddress(url)
  assert.ok(address !== undefined)
  const database = new Database({ address, newId: () => Buffer.alloc(16) })
  while (await database.write((work) => matchPiece(work, atOnce))) assert.ok(atOnce > 0)
  await database.close()
  return Promise.all(WRITTEN.map((question) => administer(url, question)))
}

async function copyOf(url: string): Promise<string> {
  assert.ok(server !== null)
  const [from, to] = [new URL(url).pathname.slice(1), `${new URL(url).pathname.slice(1)}_copy`]
  await administer(server.url(), `CREATE DATABASE ${to} TEMPLATE ${from}`)
  return server.url(to)
}

/** Invoices on several wallets, of equal and other amounts, void, paid and open, and what came in parts, twice and for nobody. */
async function trade(t: Scenario, random: Random): Promise<void> {
  await t.own('alice', ...WALLETS)
  for (let n = 0; n < CROWD; n += 1) {
    t.clock.advance(1000)
    const amount = String(random.between(1, 6))
    if (random.chance(1 / 3)) {
      const walletIds = random.shuffled(WALLETS).slice(0, random.between(1, 3))
      const told = random.chance(1 / 2) ? { reference: `r ${n}`, callbackUrl: HOOK } : {}
      const made = await t.request({ walletIds, amount, ...told })
      if (made.ok && random.chance(1 / 5)) await t.void(made.value.id)
      continue
    }
    const toAddress = addressOf(random.pick(['w0', ...WALLETS]))
    await t.deposit('confirmed', { txHash: `tx ${n}`, toAddress, amount, receivedAt: t.clock.now() })
  }
}

for (const seed of [1, 2, 3]) {
  test(`the past is matched in large pieces as it is one by one, seed ${seed}`, async () => {
    const url = await pastOf((t) => trade(t, new Random(seed, 1)))
    const copy = await copyOf(url)
    const wanted = await matched(url, 1)
    const isMatched = ({ invoice_id }: { readonly invoice_id: string | null }) => invoice_id !== null
    assert.ok((wanted[0] as { invoice_id: string | null }[]).filter(isMatched).length > CROWD / 3)
    assert.deepEqual(await matched(copy, CROWD), wanted)
  })
}

/** What the statements of a piece cost in round trips. */
const STATEMENTS_MAX = 60

test('the deposits of a piece are matched with a few statements, whether they are on one wallet or on many', async (t) => {
  for (const wallets of [1, CROWD]) {
    const url = await pastOf(async (one) => {
      await one.own('alice', ...Array.from({ length: wallets }, (_, n) => `wallet-${n}`))
      for (let n = 0; n < CROWD; n += 1) {
        const wallet = `wallet-${n % wallets}`
        await one.invoice({ walletIds: [wallet], amount: `${n + 1}` })
        one.clock.advance(1000)
        const deposit = { txHash: `tx ${n}`, toAddress: addressOf(wallet), receivedAt: one.clock.now() }
        await one.deposit('confirmed', { ...deposit, amount: n % 4 === 0 ? `${n + 1}.5` : `${n + 1}` })
      }
    })
    const run = t.mock.method(Session.prototype, 'run')
    await matched(url, CROWD)
    const statements = run.mock.callCount()
    run.mock.restore()
    assert.ok(statements <= STATEMENTS_MAX, `${statements} statements for ${CROWD} deposits on ${wallets} wallets`)
    assert.equal((await administer(url, 'SELECT 1 FROM deposits WHERE invoice_id IS NULL')).length, 0)
  }
})
