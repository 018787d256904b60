import assert from 'node:assert/strict'
import { test as always } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import type { ApiKey } from '../../../src/domain/api-key.js'
import type { Invoice } from '../../../src/domain/invoice.js'
import type { EventOutcome, LedgerFact } from '../../../src/domain/ledger-fact.js'
import { NOTES_MAX } from '../../../src/domain/note.js'
import { rateSetOf } from '../../../src/domain/rate-set.js'
import { RECEIPTS_MAX } from '../../../src/domain/rates.js'
import type { Wallet } from '../../../src/domain/wallet.js'
import type { WebhookConfiguration } from '../../../src/domain/webhook.js'
import type { InvoiceCommand, Settled, WalletResult } from '../../../src/store/commands.js'
import { openPostgresStore } from '../../../src/store/postgres/postgres-store.js'
import type { PageOf } from '../../../src/store/reading.js'
import type { Store } from '../../../src/store/store.js'
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
import { administer } from '../../support/postgres-database.js'
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

async function withStores(run: (stores: readonly Store[], url: string) => Promise<void>): Promise<void> {
  const url = await createDatabase(present())
  // All at once: the first start makes the tables, and the others wait for it.
  const stores = await Promise.all(Array.from({ length: STORES }, () => openPostgresStore(postgresStoreOptions(url))))
  try {
    for (const id of WALLETS) {
      for (const fact of [walletCreated(id), walletAssigned(id, 'alice')]) {
        await stores[0]?.ledger.applyFacts([{ eventId: null, fact }])
      }
    }
    await run(stores, url)
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

test('a wallet of which one store hears that it was made and another one to whom it belongs has both', async () => {
  await withStores(async ([first, second]) => {
    assert.ok(first !== undefined && second !== undefined)
    for (let n = 1; n <= 50; n += 1) {
      const id = `new-${n}`
      const tell = (store: Store, fact: LedgerFact) => store.ledger.applyFacts([{ eventId: null, fact }])
      const told = [tell(first, walletCreated(id)), tell(second, walletAssigned(id, 'bob'))]
      const fates: readonly (readonly Settled<EventOutcome>[])[] = await Promise.all(told)
      for (const fate of fates.flat()) assert.equal(fate.status === 'fulfilled' && fate.value.status, 'applied')
      const wallet: Wallet | undefined = await first.wallets.find(id)
      assert.deepEqual([wallet?.address, wallet?.owner], [addressOf(id), 'bob'])
      assert.equal((await first.wallets.at('SEP', addressOf(id)))?.id, id)
    }
  })
})

test('drops that tell the addresses of each other do not stand in the way of each other', async () => {
  await withStores(async ([first, second], url) => {
    assert.ok(first !== undefined && second !== undefined)
    const [one = '', other = ''] = WALLETS.map(addressOf)
    const report = (store: Store, kind: 'pending' | 'dropped', txHash: string, toAddress: string) =>
      store.commands.perform([
        { type: 'deposit', eventId: null, fact: depositFact(kind, { txHash, toAddress, amount: '1' }) },
      ])
    for (let n = 1; n <= 30; n += 1) {
      await report(first, 'pending', `a-${n}`, one)
      await report(first, 'pending', `b-${n}`, other)
      await Promise.all([report(first, 'dropped', `a-${n}`, other), report(second, 'dropped', `b-${n}`, one)])
    }
    await first.close()
    await second.close()
    assert.equal(await deadlocksOf(url), 0)
  })
})

test('deposits to two wallets that share their invoices do not stand in the way of each other', async () => {
  await withStores(async ([first, second], url) => {
    assert.ok(first !== undefined && second !== undefined)
    const [one = '', other = ''] = WALLETS
    const create = async (amount: number) => {
      const fields = { amount: `${amount}`, reference: `order-${amount}`, callbackUrl: 'https://shop.example/paid' }
      const request = invoiceRequest({ walletIds: [one, other], ...fields })
      const [fate] = await first.commands.perform([{ type: 'invoice', request }])
      assert.ok(fate?.status === 'fulfilled' && fate.value.type === 'invoice' && fate.value.outcome.ok)
      return fate.value.outcome.value.created_at
    }
    const pay = (store: Store, wallet: string, amount: number, receivedAt: number) => {
      const sighting = { txHash: `tx-${amount}`, toAddress: addressOf(wallet), amount: `${amount}`, receivedAt }
      return store.commands.perform([{ type: 'deposit', eventId: null, fact: depositFact('confirmed', sighting) }])
    }
    for (let n = 1; n < 60; n += 2) {
      await create(n)
      const receivedAt = (await create(n + 1)) + 1
      // Each finds one of them by its amount, and looks at the other one behind it.
      await Promise.all([pay(first, one, n, receivedAt), pay(second, other, n + 1, receivedAt)])
      // None of these deposits counts for the next invoices.
      await setTimeout(5)
    }
    await first.close()
    await second.close()
    assert.equal(await deadlocksOf(url), 0)
  })
})

/** Deadlocks that the server has found in a database. Sessions tell it when they end. */
async function deadlocksOf(url: string): Promise<unknown> {
  const [row] = await administer(
    url,
    'SELECT deadlocks::integer FROM pg_stat_database WHERE datname = current_database()',
  )
  return (row as { deadlocks: number } | undefined)?.deadlocks
}

test('a configuration that one store removes while another one changes it does not survive', async () => {
  await withStores(async ([first, second]) => {
    assert.ok(first !== undefined && second !== undefined)
    for (let n = 1; n <= 50; n += 1) {
      const { secret } = await first.webhooks.put('alice', 'https://example.com/hook')
      await Promise.all([first.webhooks.delete('alice'), second.webhooks.rotate('alice', 60_000)])
      const left: WebhookConfiguration = await first.webhooks.find('alice')
      assert.equal(left.callback_url, null)
      const { previous } = await second.webhooks.secrets('alice')
      assert.notEqual(previous, secret, 'the removed secret still signs')
      await first.webhooks.delete('alice')
    }
  })
})

test('a deposit that is reported at other addresses to other stores at once is recorded at one of them', async () => {
  await withStores(async (stores) => {
    for (let n = 1; n <= 20; n += 1) {
      const fates = await Promise.all(
        stores.map((store, i) => {
          const sighting = { txHash: `tx-${n}`, toAddress: addressOf(WALLETS[i] ?? ''), amount: '1' }
          return store.commands.perform([{ type: 'deposit', eventId: null, fact: depositFact('confirmed', sighting) }])
        }),
      )
      const statuses = fates.flat().map((fate) => {
        return fate.status === 'fulfilled' && fate.value.type === 'deposit' ? fate.value.outcome.status : assert.fail()
      })
      assert.deepEqual(statuses.sort(), ['applied', 'rejected', 'rejected'])
    }
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

test('of sets of rates that come to all stores at once each is judged by what the others have made of the rates', async () => {
  await withStores(async (stores) => {
    const ROUNDS = 20
    const startMs = Date.now() - 60_000
    const give = async (store: Store, at: number, rate: string) => {
      const read = rateSetOf({ at, rates: { EUR: { USDT: rate } } })
      assert.ok(read.ok)
      return await store.rates.take({ origin: 'push', set: read.set }, { jump: null, maxAgeMs: 600_000 })
    }
    for (let round = 0; round < ROUNDS; round += 1) {
      // Sets of one date that contradict each other.
      const verdicts = await Promise.all(stores.map((store, n) => give(store, startMs + round, `${1 + n}`)))
      const accepted = verdicts.filter(({ kind }) => kind === 'accepted')
      assert.equal(accepted.length, 1, JSON.stringify(verdicts))
    }
    const tables = await Promise.all(stores.map((store) => store.rates.current()))
    for (const table of tables) assert.deepEqual(table, tables[0])
    assert.equal(tables[0]?.receipts.length, RECEIPTS_MAX)
  })
})

test('an invoice has no more notes than it may have, whichever stores they come to at once', async () => {
  await withStores(async (stores) => {
    const [first] = stores
    if (first === undefined) return assert.fail()
    const [fate] = await first.commands.perform([{ type: 'invoice', request: invoiceRequest() }])
    const result = fate?.status === 'fulfilled' && fate.value.type === 'invoice' ? fate.value : assert.fail()
    const { id: invoiceId } = unwrap(result.outcome)
    const add = (n: number) => stores[n % stores.length]?.notes.add({ invoiceId, who: 'root', text: `${n}` })
    const added = await Promise.all(Array.from({ length: NOTES_MAX + 20 }, (_, n) => add(n)))
    assert.equal(added.filter((one) => one?.ok === true).length, NOTES_MAX)
    assert.equal((await first.notes.ofInvoice(invoiceId)).length, NOTES_MAX)
  })
})

test('what operators do through one process is listed by all, and old records are removed once', async () => {
  await withStores(async ([first, second, third]) => {
    if (first === undefined || second === undefined || third === undefined) return assert.fail()
    const operator = { who: 'root (uid 0)', from: 'command line on shop' }
    const begin = (store: Store, subject: string) =>
      store.audit.begin({ ...operator, action: 'key.revoke', owner: 'alice', subject })
    const stores = [first, second, third]
    const begun = await Promise.all(
      Array.from({ length: 30 }, (_, n) => begin(stores[n % stores.length] ?? first, String(n))),
    )
    await second.audit.note(begun[0]?.id ?? '', { outcome: 'done', detail: null })
    const list = async (store: Store) => (await store.audit.page({ after: null, limit: 100 })).items
    const listed = await list(third)
    assert.deepEqual(await list(first), listed)
    assert.deepEqual(listed.map(({ id }) => id).sort(), begun.map(({ id }) => id).sort())
    assert.deepEqual(
      listed.filter(({ outcome }) => outcome === 'done').map(({ id }) => id),
      [begun[0]?.id],
    )
    const later = Math.max(...begun.map(({ at }) => at)) + 1
    const removed = await Promise.all(stores.map((store) => store.audit.removeBefore(later, 100)))
    assert.equal(
      removed.reduce((sum, count) => sum + count, 0),
      begun.length,
    )
    assert.deepEqual(await list(second), [])
  })
})
