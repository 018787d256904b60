import assert from 'node:assert/strict'
import { test as always } from 'node:test'
import type { Delivery } from '../../../src/domain/webhook.js'
import { openPostgresStore } from '../../../src/store/postgres/postgres-store.js'
import type { Store } from '../../../src/store/store.js'
import {
  addressOf,
  depositFact,
  invoiceRequest,
  unwrap,
  walletAssigned,
  walletCreated,
} from '../../support/fixtures.js'
import { createDatabase, postgresStoreOptions } from '../../support/postgres-harness.js'
import { postgresForTests } from '../../support/postgres-tests.js'

/* Events as webhooks, with several stores on one database as several processes have them. */

const server = await postgresForTests()

/** Skipped where there is no PostgreSQL. */
const test = server === null ? always.skip : always

const HOOK = 'https://shop.example/hook'
const WALLETS = ['wallet-1', 'wallet-2', 'wallet-3', 'wallet-4']
const INVOICES = 120
const DEPOSITS = 160

async function withStores(run: (stores: readonly [Store, Store, Store]) => Promise<void>): Promise<void> {
  if (server === null) throw new Error('a skipped test asks for its server')
  const options = postgresStoreOptions(await createDatabase(server))
  const stores = await Promise.all([openPostgresStore(options), openPostgresStore(options), openPostgresStore(options)])
  try {
    for (const id of WALLETS) {
      const facts = [walletCreated(id), walletAssigned(id, 'alice')]
      await stores[0].ledger.applyFacts(facts.map((fact) => ({ eventId: null, fact })))
    }
    await run(stores)
  } finally {
    for (const store of stores) await store.close()
  }
}

/** Queues what is to be queued until `isOver`, and then what is left. */
async function pump(store: Store, isOver: () => boolean): Promise<void> {
  for (let wasOver = false; ; ) {
    const { isMore } = await store.eventOutbox.queueNext('alice', 5)
    if (wasOver && !isMore) return
    wasOver = isOver()
  }
}

async function deliveriesOf(store: Store): Promise<readonly Delivery[]> {
  return (await store.outbox.page('alice', { after: null, limit: 10_000 })).items.toReversed()
}

test('what happens by all processes, and is queued by all at once, is sent once each and in order', async () => {
  await withStores(async (stores) => {
    await stores[0].webhooks.put('alice', HOOK, 'events')
    let created = 0
    const pumps = stores.map((store) => pump(store, () => created === INVOICES))
    await Promise.all(
      stores.map(async (store, place) => {
        for (let n = place; n < INVOICES; n += stores.length) {
          const request = invoiceRequest({ amount: String(n + 1), walletIds: [WALLETS[n % WALLETS.length] ?? ''] })
          const [fate] = await store.commands.perform([{ type: 'invoice', request }])
          assert.equal(fate?.status, 'fulfilled')
          created += 1
        }
      }),
    )
    await Promise.all(pumps)
    const log = unwrap(await stores[1].events.page('alice', { after: null, limit: 10_000 })).items
    assert.equal(log.length, INVOICES)
    const sent = (await deliveriesOf(stores[2])).map(({ event }) => event?.id)
    assert.deepEqual(
      sent,
      log.map(({ id }) => id),
    )
  })
})

test('a process hears of what others have logged of owners whose events are sent, and of nobody else', async () => {
  await withStores(async ([one, other]) => {
    await one.ledger.applyFacts([
      { eventId: null, fact: walletCreated('wallet of bob') },
      { eventId: null, fact: walletAssigned('wallet of bob', 'bob') },
    ])
    await one.webhooks.put('alice', HOOK, 'events')
    const heard = new Promise<readonly string[]>((resolve) => other.changes.onLogged((owners) => resolve([...owners])))
    // It begins to ask behind what was committed before.
    await (await other.changes.onOwed(() => {}))()
    for (const [owner, wallet] of [
      ['bob', 'wallet of bob'],
      ['alice', 'wallet-1'],
    ] as const) {
      await one.commands.perform([{ type: 'invoice', request: invoiceRequest({ owner, walletIds: [wallet] }) }])
    }
    assert.deepEqual(await heard, ['alice'])
  })
})

test('no deposit goes untold that is recorded while the payload changes', async () => {
  await withStores(async (stores) => {
    const [first, second] = stores
    await first.webhooks.put('alice', HOOK, 'events')
    for (const [i, wallet] of WALLETS.entries()) {
      const request = invoiceRequest({ amount: '1000', walletIds: [wallet], reference: `order ${i}` })
      await first.commands.perform([{ type: 'invoice', request }])
    }
    let recorded = 0
    const isOver = () => recorded === DEPOSITS
    const changing = (async () => {
      for (let n = 0; !isOver(); n += 1) await second.webhooks.put('alice', HOOK, n % 2 === 0 ? 'specified' : 'events')
    })()
    const pumping = pump(second, isOver)
    await Promise.all(
      stores.map(async (store, place) => {
        for (let n = place; n < DEPOSITS; n += stores.length) {
          const toAddress = addressOf(WALLETS[n % WALLETS.length] ?? '')
          const fact = depositFact('pending', {
            txHash: `tx ${n}`,
            toAddress,
            amount: '1',
            receivedAt: Date.now() + 60_000,
          })
          const [fate] = await store.commands.perform([{ type: 'deposit', eventId: null, fact }])
          assert.equal(fate?.status, 'fulfilled')
          recorded += 1
        }
      }),
    )
    await Promise.all([changing, pumping])
    await pump(first, () => true)
    const told = new Set<string>()
    let forms = 0
    for (const { body, event } of await deliveriesOf(first)) {
      const parsed = JSON.parse(body)
      if (event === null) forms += 1
      told.add(event === null ? parsed.txHash : (parsed.data.deposit?.txHash ?? ''))
    }
    assert.ok(forms > 0 && forms < DEPOSITS, `${forms} were told in the specified fields`)
    const untold = Array.from({ length: DEPOSITS }, (_, n) => `tx ${n}`).filter((hash) => !told.has(hash))
    assert.deepEqual(untold, [])
  })
})
