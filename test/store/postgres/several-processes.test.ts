import assert from 'node:assert/strict'
import { test as always } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import type { ApiKey } from '../../../src/domain/api-key.js'
import type { Invoice } from '../../../src/domain/invoice.js'
import type { InvoiceCommand, Settled, WalletResult } from '../../../src/store/commands.js'
import { openPostgresStore } from '../../../src/store/postgres/postgres-store.js'
import type { PageOf, Store } from '../../../src/store/store.js'
import {
  addressOf,
  depositFact,
  type InvoiceFields,
  invoiceRequest,
  registration,
  unwrap,
  walletAssigned,
  walletCreated,
} from '../../support/fixtures.js'
import { createDatabase, postgresStoreOptions } from '../../support/postgres-harness.js'
import type { PostgresServer } from '../../support/postgres-server.js'
import { postgresForTests } from '../../support/postgres-tests.js'

/*
 * Several stores on one database, as several processes have them: each has its own connections, and they share nothing else.
 */

const server = await postgresForTests()

/** Skipped where there is no PostgreSQL. */
const test = server === null ? always.skip : always

function present(): PostgresServer {
  if (server === null) throw new Error('a skipped test asks for its server')
  return server
}

const STORES = 3
const WALLETS = ['wallet-1', 'wallet-2', 'wallet-3']

async function withStores(run: (stores: readonly Store[]) => Promise<void>): Promise<void> {
  const url = await createDatabase(present())
  // All at once: the first start makes the tables, and the others wait for it.
  const stores = await Promise.all(Array.from({ length: STORES }, () => openPostgresStore(postgresStoreOptions(url))))
  try {
    for (const id of WALLETS) {
      for (const fact of [walletCreated(id), walletAssigned(id, 'alice')]) {
        await stores[0]?.ledger.applyFacts([{ eventId: null, fact }])
      }
    }
    await run(stores)
  } finally {
    for (const store of stores) await store.close()
  }
}

function refusalsOf(fates: readonly Settled<WalletResult>[]): readonly string[] {
  return fates.map((fate) => {
    if (fate.status === 'rejected') throw fate.reason
    if (fate.value.type !== 'invoice') return assert.fail()
    return fate.value.outcome.ok ? 'created' : fate.value.outcome.failure.code
  })
}

test('of equal amounts on overlapping wallets, asked of all stores at once, each wallet has one', async () => {
  await withStores(async (stores) => {
    const create = (amount: number, wallets: readonly string[]): InvoiceCommand => ({
      type: 'invoice',
      request: invoiceRequest({ amount: String(amount), walletIds: wallets }),
    })
    const batch = Array.from({ length: 120 }, (_, i) => {
      const first = WALLETS[i % WALLETS.length] ?? ''
      const second = WALLETS[(i + 1) % WALLETS.length] ?? ''
      return create(1 + (i % 10), i % 2 === 0 ? [first] : [second, first])
    })
    const fates = await Promise.all(stores.map((store) => store.commands.perform(batch)))
    const refusals = new Set(fates.flatMap(refusalsOf))
    assert.deepEqual(refusals, new Set(['created', 'amount_in_use']))
    const { items = [] } = (await stores[0]?.invoices.page('alice', { after: null, limit: 1000 })) ?? {}
    const asked = items.flatMap(({ wallet_ids, amount }) =>
      (wallet_ids ?? '').split(',').map((id) => `${id} ${amount}`),
    )
    assert.equal(new Set(asked).size, asked.length)
    assert.ok(items.length >= 10)
  })
})

test('a reference, an idempotency key and a signed request create once, whichever store they come to', async () => {
  await withStores(async (stores) => {
    const commands = (n: number): readonly InvoiceCommand[] => [
      { type: 'invoice', request: invoiceRequest({ amount: String(n), reference: `r${n}` }) },
      {
        type: 'invoice',
        request: invoiceRequest({ amount: String(1000 + n) }),
        terms: { idempotency: { scope: Buffer.alloc(32, n), bodyHash: Buffer.alloc(32, 1) } },
      },
      {
        type: 'invoice',
        request: invoiceRequest({ amount: String(2000 + n), walletIds: ['wallet-2'] }),
        terms: { signed: { timestampMs: Date.now(), digest: Buffer.alloc(32, n) } },
      },
    ]
    for (let n = 1; n <= 20; n += 1) {
      const fates = await Promise.all(stores.map((store) => store.commands.perform(commands(n))))
      for (const place of [0, 2]) {
        const refusals = fates.map((all) => refusalsOf(all)[place])
        assert.equal(refusals.filter((refusal) => refusal === 'created').length, 1, refusals.join())
      }
      const replayed = fates.map((all) => all[1])
      const ids = replayed.map((fate) =>
        fate?.status === 'fulfilled' && fate.value.type === 'invoice' && fate.value.outcome.ok
          ? fate.value.outcome.value.id
          : null,
      )
      assert.equal(new Set(ids).size, 1)
      assert.notEqual(ids[0], null)
    }
  })
})

test('a revocation that one store has answered holds at all others, for look-ups and for what is under way', async () => {
  await withStores(async (stores) => {
    const [first, ...others] = stores
    assert.ok(first !== undefined)
    for (let seed = 1; seed <= 20; seed += 1) {
      const asked = registration(seed)
      const { id }: ApiKey = unwrap(await first.keys.register(asked))
      const create = (store: Store, amount: number): Promise<readonly Settled<WalletResult>[]> =>
        store.commands.perform([
          {
            type: 'invoice',
            request: invoiceRequest({ amount: `${seed}.${amount}` }),
            terms: { authority: { keyId: id, permission: 'invoices:create' } },
          },
        ])
      const underWay = others.flatMap((store, i) => Array.from({ length: 5 }, (_, n) => create(store, 10 * i + n + 1)))
      unwrap(await first.keys.revoke(id, 'alice'))
      const before: PageOf<Invoice> = await first.invoices.page('alice', { after: null, limit: 1000 })
      for (const [i, store] of others.entries()) {
        assert.notEqual((await store.keys.find(asked.publicKey))?.revoked_at ?? null, null)
        assert.deepEqual(refusalsOf(await create(store, 100 + i)), ['api_key_revoked'])
      }
      await Promise.all(underWay)
      const after: PageOf<Invoice> = await first.invoices.page('alice', { after: null, limit: 1000 })
      assert.equal(after.items.length, before.items.length, 'nothing is created after the answer to the revocation')
    }
  })
})

test('a deposit that is reported to all stores counts once', async () => {
  await withStores(async (stores) => {
    const notified = { reference: 'r', callbackUrl: 'https://example.com/hook' }
    for (let n = 1; n <= 5; n += 1) {
      await payFrom(stores, n, { ...notified, reference: `r${n}` }, () => stores)
    }
    const { items = [] } = (await stores[0]?.outbox.page('alice', { after: null, limit: 1000 })) ?? {}
    assert.equal(items.length, 5 * WALLETS.length * 2)
  })
})

test('deposits to the wallets of an invoice that come to different stores at once pay it together', async () => {
  await withStores(async (stores) => {
    // Without a callback no deposit matches the invoice, so only its own row is between them.
    for (let n = 1; n <= 20; n += 1) await payFrom(stores, n, {}, (i) => stores.slice(i, i + 1))
  })
})

/** Pays an invoice with a deposit to each of its wallets at once, the i-th of which some of the stores report. */
async function payFrom(
  stores: readonly Store[],
  n: number,
  fields: InvoiceFields,
  reporting: (i: number) => readonly Store[],
): Promise<void> {
  const [first] = stores
  assert.ok(first !== undefined)
  const request = invoiceRequest({ amount: String(3 * n), walletIds: WALLETS, ...fields })
  const [made] = await first.commands.perform([{ type: 'invoice', request }])
  assert.ok(made?.status === 'fulfilled' && made.value.type === 'invoice' && made.value.outcome.ok)
  const { id, created_at } = made.value.outcome.value
  const reports = WALLETS.flatMap((wallet, i) => {
    const sighting = {
      txHash: `tx-${n}-${i}`,
      toAddress: addressOf(wallet),
      amount: String(n),
      receivedAt: created_at + 1,
    }
    const fact = depositFact('confirmed', sighting)
    return reporting(i).map((store) => store.commands.perform([{ type: 'deposit', eventId: null, fact }]))
  })
  for (const [fate] of await Promise.all(reports)) assert.equal(fate?.status, 'fulfilled')
  const found = await first.invoices.findWithPayment(id)
  assert.deepEqual([found?.payment.status, found?.payment.received], ['paid', String(3 * n)])
  const log = unwrap(await first.events.page('alice', { after: null, limit: 1000 })).items
  const told = log.filter((event) => event.invoiceId === id && event.type === 'invoice.paid')
  assert.equal(told.length, 1, 'whichever deposit came last found it paid')
  // None of these deposits counts for the next invoice.
  await setTimeout(5)
}

test('a claim waits for the last free wallet when a deposit to it is being recorded, and all claims together get each once', async () => {
  await withStores(async (stores) => {
    const [first] = stores
    assert.ok(first !== undefined)
    const ids = ['free-1', 'free-2', 'free-3', 'free-4']
    for (const id of ids) await first.ledger.applyFacts([{ eventId: null, fact: walletCreated(id) }])
    const deposits = ids.flatMap((id, i) =>
      stores.map((store, n) => {
        const fact = depositFact('pending', { txHash: `tx-${i}-${n}`, toAddress: addressOf(id), amount: '1' })
        return store.commands.perform([{ type: 'deposit', eventId: null, fact }])
      }),
    )
    const claimed = await Promise.all(ids.map((_, i) => stores[i % STORES]?.wallets.claim('SEP', 60_000)))
    await Promise.all(deposits)
    assert.deepEqual(claimed.map((wallet) => wallet?.id).sort(), ids)
  })
})
