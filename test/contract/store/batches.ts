import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { WalletDirectory } from '../../../src/actors/wallet-directory.js'
import type { DepositReport } from '../../../src/domain/deposit.js'
import type { DepositCommand } from '../../../src/store/commands.js'
import { addressOf, depositFact, invoiceRequest, unwrap, walletAssigned } from '../../support/fixtures.js'
import { orderCommand } from '../../support/orders.js'
import { type OpenStore, present, type Scenario, settledValue, withStore } from './harness.js'

const BATCHES = 240
const WALLETS = ['w0', 'w1', 'w2', 'w3'] as const
/** Few, so that deposits meet the same invoices. Raw integers of the token. */
const AMOUNTS = ['1', '2', '3', '7'] as const
const EVERYTHING = { after: null, limit: 1000 }

interface NewInvoice {
  readonly wallets: readonly string[]
  readonly amount: string
  readonly hasReference: boolean
}

/** An order with two options, each on one wallet. */
interface NewOrder {
  readonly wallets: readonly string[]
  readonly amounts: readonly [string, string]
}

interface Report {
  readonly report: DepositReport
  readonly wallet: string
  readonly amount: string
  readonly tx: number
  readonly isNative: boolean
  /** Before the last invoices were created. */
  readonly isEarly: boolean
  /** Several may have the same. */
  readonly event: number | null
}

interface Shop {
  readonly invoices: readonly NewInvoice[]
  readonly orders: readonly NewOrder[]
  readonly showsPayment: boolean
  /** Wallets of another owner when the deposits come. */
  readonly givenAway: readonly string[]
  readonly batches: readonly (readonly Report[])[]
}

const ANY_SHOP: fc.Arbitrary<Shop> = fc.record({
  invoices: fc.array(
    fc.record({
      wallets: fc.subarray([...WALLETS], { minLength: 1, maxLength: 3 }),
      amount: fc.constantFrom(...AMOUNTS),
      hasReference: fc.nat({ max: 4 }).map((n) => n > 0),
    }),
    { maxLength: 9 },
  ),
  orders: fc.array(
    fc.record({
      wallets: fc.shuffledSubarray([...WALLETS], { minLength: 2, maxLength: 2 }),
      amounts: fc.tuple(fc.constantFrom(...AMOUNTS), fc.constantFrom(...AMOUNTS)),
    }),
    { maxLength: 3 },
  ),
  showsPayment: fc.boolean(),
  givenAway: fc.subarray([...WALLETS], { maxLength: 1 }),
  batches: fc.array(
    fc.array(
      fc.record({
        report: fc.constantFrom<DepositReport>('pending', 'confirmed', 'confirmed', 'confirmed', 'dropped'),
        wallet: fc.constantFrom(...WALLETS, 'nobody'),
        amount: fc.constantFrom(...AMOUNTS),
        tx: fc.nat({ max: 11 }),
        isNative: fc.nat({ max: 9 }).map((n) => n === 0),
        isEarly: fc.nat({ max: 9 }).map((n) => n === 0),
        event: fc.option(fc.nat({ max: 20 })),
      }),
      { minLength: 2, maxLength: 12 },
    ),
    { minLength: 1, maxLength: 3 },
  ),
})

/** Shops whose wallets are given away have no orders: what comes for nobody counts for these, and nothing judges them when it goes. */
const SHOP = ANY_SHOP.map((shop) => (shop.givenAway.length > 0 ? { ...shop, orders: [] } : shop))

const SEEN: Omit<Report, 'wallet' | 'amount' | 'tx'> = {
  report: 'pending',
  isNative: false,
  isEarly: true,
  event: null,
}
/** The second deposit notifies an invoice for which the first one counts, and its webhook shows both. */
const SHARED: Shop = {
  invoices: [
    { wallets: ['w2'], amount: '1', hasReference: true },
    { wallets: ['w0', 'w2'], amount: '7', hasReference: true },
  ],
  orders: [],
  showsPayment: true,
  givenAway: [],
  batches: [
    [
      { ...SEEN, wallet: 'w2', amount: '1', tx: 0 },
      { ...SEEN, wallet: 'w0', amount: '7', tx: 1 },
    ],
  ],
}

/** The second deposit completes the order, so that the third one is late. */
const COMPLETED: Shop = {
  invoices: [],
  orders: [{ wallets: ['w0', 'w1'], amounts: ['3', '7'] }],
  showsPayment: true,
  givenAway: [],
  batches: [
    [
      { ...SEEN, report: 'confirmed', isEarly: false, wallet: 'w0', amount: '1', tx: 0 },
      { ...SEEN, report: 'confirmed', isEarly: false, wallet: 'w0', amount: '2', tx: 1 },
      { ...SEEN, report: 'confirmed', isEarly: false, wallet: 'w1', amount: '7', tx: 2 },
    ],
  ],
}

/** How the deposits of a batch come: each by itself, in one batch, or in a push while one of the wallets is busy. */
type Manner = 'one by one' | 'together' | 'pushed'

/** The same shop several times in a store, under names that begin differently. Answers everything that can be told of one of them. */
async function play(t: Scenario, shop: Shop, prefix: string, manner: Manner): Promise<unknown> {
  const name = (short: string) => `${prefix}${short}`
  const alice = name('alice')
  const directory = new WalletDirectory(t.store)
  await t.own(alice, ...WALLETS.map(name))
  await t.store.webhooks.put(alice, 'https://shop.example/', shop.showsPayment ? 'with-invoice' : 'specified')
  const ids: string[] = []
  const begunAt = t.clock.now()
  for (const [i, { wallets, amount, hasReference }] of shop.invoices.entries()) {
    t.clock.advance(1)
    const outcome = await t.request({
      owner: alice,
      walletIds: wallets.map(name),
      amount,
      currency: 'USDT',
      ...(hasReference ? { reference: name(`order-${i}`) } : {}),
    })
    if (outcome.ok) ids.push(outcome.value.id)
  }
  const orders: string[] = []
  for (const [i, { wallets, amounts }] of shop.orders.entries()) {
    t.clock.advance(1)
    const options = wallets.map((wallet, n) => ({
      walletIds: [name(wallet)],
      currency: 'USDT',
      amount: present(amounts[n]),
    }))
    const result = await t.perform(orderCommand({ owner: alice, options, reference: name(`whole-${i}`) }))
    if (result.type !== 'order') assert.fail()
    if (!result.outcome.ok) continue
    orders.push(result.outcome.value.order.id)
    ids.push(...result.outcome.value.invoices.map(({ id }) => id))
  }
  t.clock.advance(10)
  for (const wallet of shop.givenAway) await t.tell(walletAssigned(name(wallet), name('bob')))
  const outcomes: unknown[] = []
  for (const [n, batch] of shop.batches.entries()) {
    const commands = batch.map((report): DepositCommand => {
      const { amount, tx, isNative, isEarly } = report
      const sighting = {
        txHash: name(`tx-${tx}`),
        toAddress: addressOf(name(report.wallet)),
        currency: isNative ? null : 'Tether',
        amount: isNative ? amount : `${amount}000000`,
        receivedAt: isEarly ? begunAt + 3 : t.clock.now(),
      }
      const eventId = report.event === null ? null : name(`event-${report.event}`)
      return { type: 'deposit', eventId, fact: depositFact(report.report, sighting) }
    })
    // None of the deposits is received behind its creation.
    const other = { owner: alice, walletIds: [name('w0')], amount: `${1000 + n}` }
    const busy = directory.createInvoice(invoiceRequest(other))
    if (manner !== 'pushed') await busy
    const fates =
      manner === 'pushed'
        ? await directory.recordDeposits(commands)
        : manner === 'together'
          ? await t.store.commands.perform(commands)
          : (await inOrder(commands, (command) => t.store.commands.perform([command]))).flat()
    await busy
    for (const value of fates.map(settledValue)) {
      if (value.type !== 'deposit') assert.fail()
      const deliveries = await inOrder(value.owed, async ({ id }) => present(await t.store.outbox.find(id)).body)
      outcomes.push(value.outcome, deliveries)
    }
  }
  const invoices = await inOrder(ids, (id) => t.store.invoices.findWithPayment(id))
  const ends = await inOrder(orders, async (id) => {
    const found = present(await t.store.orders.findWithOptions(id))
    return [found.order, found.invoices.map(({ voidedAt }) => voidedAt !== null)]
  })
  const told = await inOrder([alice, name('bob')], async (owner) => ({
    events: unwrap(await t.store.events.page(owner, EVERYTHING)).items.filter(
      ({ invoiceId }) => invoiceId === null || ids.includes(invoiceId),
    ),
    deliveries: (await t.store.outbox.page(owner, EVERYTHING)).items.map(({ body, status }) => [status, body]),
  }))
  return comparable({ outcomes, invoices, ends, told }, prefix, [...ids, ...orders])
}

async function inOrder<T, R>(items: readonly T[], take: (item: T) => R): Promise<readonly Awaited<R>[]> {
  const taken: Awaited<R>[] = []
  for (const item of items) taken.push(await take(item))
  return taken
}

/** As text, without what differs between two shops: names, addresses, ids and times. */
function comparable(told: unknown, prefix: string, ids: readonly string[]): unknown {
  const addresses = [...WALLETS, 'nobody'].map((wallet) => [addressOf(`${prefix}${wallet}`), wallet] as const)
  let text = JSON.stringify(told, (key, value: unknown) => {
    if (key === 'id' && typeof value === 'string' && !ids.includes(value)) return 'event'
    if (key === 'next' || key === 'at' || key.endsWith('At') || key.endsWith('_at')) return null
    return typeof value === 'bigint' ? `${value}` : value
  })
  for (const [i, id] of ids.entries()) text = text.replaceAll(id, `invoice ${i}`)
  for (const [address, wallet] of addresses) text = text.replaceAll(address, wallet)
  return JSON.parse(text.replaceAll(prefix, '').replaceAll(/receivedAt\\":\d+/g, 'receivedAt'))
}

export function describeBatches(open: OpenStore, share = 1): void {
  describe('deposits of one batch', () => {
    test(
      'have the effects, in the order, that they have one by one, whatever wallets, invoices and orders they share',
      withStore(open, async (t) => {
        let shops = 0
        const same = fc.asyncProperty(SHOP, async (shop) => {
          shops += 1
          const oneByOne = await play(t, shop, `o${shops}-`, 'one by one')
          for (const manner of ['together', 'pushed'] as const) {
            assert.deepEqual(await play(t, shop, `${manner[0]}${shops}-`, manner), oneByOne, manner)
          }
        })
        await fc.assert(same, { numRuns: Math.ceil(BATCHES * share), examples: [[SHARED], [COMPLETED]] })
      }),
    )
  })
}
