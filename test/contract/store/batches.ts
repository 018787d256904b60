import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import type { DepositReport } from '../../../src/domain/deposit.js'
import type { WalletCommand } from '../../../src/store/commands.js'
import { addressOf, depositFact, walletAssigned } from '../../support/fixtures.js'
import { type OpenStore, present, type Scenario, settledValue, withStore } from './harness.js'

const BATCHES = 300
const WALLETS = ['w0', 'w1', 'w2', 'w3'] as const
/** Few, so that deposits meet the same invoices. Raw integers of the token. */
const AMOUNTS = ['1', '2', '3', '7'] as const
const EVERYTHING = { after: null, limit: 1000 }

interface NewInvoice {
  readonly wallets: readonly string[]
  readonly amount: string
  readonly hasReference: boolean
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
  readonly showsPayment: boolean
  /** Wallets of another owner when the deposits come. */
  readonly givenAway: readonly string[]
  readonly batches: readonly (readonly Report[])[]
}

const SHOP: fc.Arbitrary<Shop> = fc.record({
  invoices: fc.array(
    fc.record({
      wallets: fc.subarray([...WALLETS], { minLength: 1, maxLength: 3 }),
      amount: fc.constantFrom(...AMOUNTS),
      hasReference: fc.nat({ max: 4 }).map((n) => n > 0),
    }),
    { maxLength: 9 },
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
  showsPayment: true,
  givenAway: [],
  batches: [
    [
      { ...SEEN, wallet: 'w2', amount: '1', tx: 0 },
      { ...SEEN, wallet: 'w0', amount: '7', tx: 1 },
    ],
  ],
}

/** The same shop twice in a store, under names that begin differently. Answers everything that can be told of one of them. */
async function play(t: Scenario, shop: Shop, prefix: string, isTogether: boolean): Promise<unknown> {
  const name = (short: string) => `${prefix}${short}`
  const alice = name('alice')
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
  t.clock.advance(10)
  for (const wallet of shop.givenAway) await t.tell(walletAssigned(name(wallet), name('bob')))
  const outcomes: unknown[] = []
  for (const batch of shop.batches) {
    const commands = batch.map((report): WalletCommand => {
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
    const fates = isTogether
      ? await t.store.commands.perform(commands)
      : (await inOrder(commands, (command) => t.store.commands.perform([command]))).flat()
    for (const value of fates.map(settledValue)) {
      if (value.type !== 'deposit') assert.fail()
      const deliveries = await inOrder(value.owed, async ({ id }) => present(await t.store.outbox.find(id)).body)
      outcomes.push(value.outcome, deliveries)
    }
  }
  const invoices = await inOrder(ids, (id) => t.store.invoices.findWithPayment(id))
  const told = await inOrder([alice, name('bob')], async (owner) => ({
    events: await t.store.events.page(owner, EVERYTHING),
    deliveries: (await t.store.outbox.page(owner, EVERYTHING)).items.map(({ body, status }) => [status, body]),
  }))
  return comparable({ outcomes, invoices, told }, prefix, ids)
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
      'have the effects, in the order, that they have one by one, whatever wallets and invoices they share',
      withStore(open, async (t) => {
        let shops = 0
        const same = fc.asyncProperty(SHOP, async (shop) => {
          shops += 1
          const together = await play(t, shop, `t${shops}-`, true)
          const oneByOne = await play(t, shop, `o${shops}-`, false)
          assert.deepEqual(together, oneByOne)
        })
        await fc.assert(same, { numRuns: Math.ceil(BATCHES * share), examples: [[SHARED]] })
      }),
    )
  })
}
