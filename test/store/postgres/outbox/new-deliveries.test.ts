import assert from 'node:assert/strict'
import { test as always } from 'node:test'
import { Session } from '../../../../src/store/postgres/connection/session.js'
import type { Fragment } from '../../../../src/store/postgres/connection/sql.js'
import { openPostgresStore } from '../../../../src/store/postgres/postgres-store.js'
import type { Store } from '../../../../src/store/store.js'
import { addressOf, depositFact, invoiceRequest, walletAssigned, walletCreated } from '../../../support/fixtures.js'
import { ManualClock, START_MS } from '../../../support/manual-clock.js'
import { createDatabase, postgresStoreOptions } from '../../../support/postgres-harness.js'
import { postgresForTests } from '../../../support/postgres-tests.js'

const server = await postgresForTests()

/** Skipped where there is no PostgreSQL. */
const test = server === null ? always.skip : always

/** Runs with the stores of processes of which each has a clock of its own. The wallets are `alice`'s, each with an invoice. */
async function withStores(
  wallets: readonly string[],
  run: (stores: readonly [Store, Store], clocks: readonly [ManualClock, ManualClock]) => Promise<void>,
): Promise<void> {
  assert.ok(server !== null)
  const options = postgresStoreOptions(await createDatabase(server))
  const clocks = [new ManualClock(), new ManualClock()] as const
  const first = await openPostgresStore({ ...options, clock: clocks[0] })
  const second = await openPostgresStore({ ...options, clock: clocks[1] })
  try {
    await first.webhooks.put('alice', 'https://example.com/hook')
    for (const id of wallets) {
      for (const fact of [walletCreated(id), walletAssigned(id, 'alice')]) {
        await first.ledger.applyFacts([{ eventId: null, fact }])
      }
      const request = invoiceRequest({ walletIds: [id], reference: id })
      const [fate] = await first.commands.perform([{ type: 'invoice', request }])
      assert.ok(fate?.status === 'fulfilled' && fate.value.type === 'invoice' && fate.value.outcome.ok)
    }
    await run([first, second], clocks)
  } finally {
    await first.close()
    await second.close()
  }
}

/** Records a confirmed deposit. Answers the ids of what it owes: `pending` and `confirmed`. */
async function pay(store: Store, walletId: string): Promise<readonly string[]> {
  const fact = depositFact('confirmed', { txHash: walletId, toAddress: addressOf(walletId), receivedAt: START_MS + 1 })
  const [fate] = await store.commands.perform([{ type: 'deposit', eventId: null, fact }])
  assert.ok(fate?.status === 'fulfilled' && fate.value.type === 'deposit')
  return fate.value.owed.map(({ id }) => id)
}

test('deliveries stand behind those of a process whose clock is ahead, and have the ids that are answered', () =>
  withStores(['wallet-1', 'wallet-2', 'wallet-3'], async ([first, second], [, ahead]) => {
    ahead.advance(5000)
    const ids: string[] = []
    for (const [store, walletId] of [
      [second, 'wallet-1'],
      [first, 'wallet-2'],
      [first, 'wallet-3'],
    ] as const) {
      ids.push(...(await pay(store, walletId)))
    }
    assert.equal(ids.length, 6)
    assert.deepEqual(ids, [...ids].sort())
    const { items } = await first.outbox.page('alice', { after: null, limit: 10 })
    assert.deepEqual(items.map(({ id }) => id).reverse(), ids)
    assert.deepEqual(
      items.map(({ status }) => status),
      Array.from({ length: 3 }, () => ['confirmed', 'pending']).flat(),
    )
  }))

test('the head is taken and the unit committed in one turn, so that nobody waits for a process that keeps it', (t) =>
  withStores(['wallet-1'], async ([first]) => {
    let turn = 0
    const turnOf = new Map<string, number>()
    const run = Session.prototype.run
    t.mock.method(Session.prototype, 'run', function (this: Session, fragment: Fragment) {
      const [text = ''] = fragment.strings
      turnOf.set(text.includes('delivery_head AS head') ? 'head' : text, turn)
      setImmediate(() => {
        turn += 1
      })
      return run.call(this, fragment)
    })
    await pay(first, 'wallet-1')
    assert.ok(turn > 1, 'a deposit takes several turns')
    assert.ok(turnOf.has('head'))
    assert.equal(turnOf.get('head'), turnOf.get('COMMIT'))
  }))
