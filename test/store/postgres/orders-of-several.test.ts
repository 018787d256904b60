import assert from 'node:assert/strict'
import { test as always } from 'node:test'
import { WalletDirectory } from '../../../src/actors/wallet-directory.js'
import type { DepositReport } from '../../../src/domain/deposit.js'
import type { DepositFact } from '../../../src/domain/ledger-fact.js'
import { orderState } from '../../../src/domain/order-share.js'
import type { CreatedOrder } from '../../../src/store/commands.js'
import { openPostgresStore } from '../../../src/store/postgres/postgres-store.js'
import type { Store } from '../../../src/store/store.js'
import { addressOf, depositFact, unwrap, walletAssigned, walletCreated } from '../../support/fixtures.js'
import { ManualClock } from '../../support/manual-clock.js'
import { type OrderFieldsOfTest, orderCommand } from '../../support/orders.js'
import { assertSoundDatabase, createDatabase, postgresStoreOptions } from '../../support/postgres-harness.js'
import { postgresForTests } from '../../support/postgres-tests.js'

/*
 * Orders whose options are paid at several processes at once: each has its own connections, and they share nothing else.
 */

const server = await postgresForTests()

/** Skipped where there is no PostgreSQL. */
const test = server === null ? always.skip : always

const ORDERS = 25
/** For how long the price of an order holds unless something else is said. */
const EXPIRY_MS = 900_000
const NOTHING = '0.000000000000000000'
const EVERYTHING = { after: null, limit: 1000 }

type Stores = readonly [Store, Store, Store]

/** Three stores on one database, and two wallets for each order. */
async function withStores(run: (stores: Stores) => Promise<void>, clock?: ManualClock): Promise<void> {
  if (server === null) throw new Error('a skipped test asks for its server')
  const url = await createDatabase(server)
  const open = () => openPostgresStore({ ...postgresStoreOptions(url), ...(clock === undefined ? {} : { clock }) })
  const stores = await Promise.all([open(), open(), open()])
  try {
    for (let n = 0; n < ORDERS; n += 1) {
      for (const id of walletsOf(n)) {
        await stores[0].ledger.applyFacts([
          { eventId: null, fact: walletCreated(id) },
          { eventId: null, fact: walletAssigned(id, 'alice') },
        ])
      }
    }
    await run(stores)
  } finally {
    for (const store of stores) await store.close()
  }
  await assertSoundDatabase(url)
}

function walletsOf(n: number): readonly [string, string] {
  return [`token-${n}`, `coin-${n}`]
}

async function created(store: Store, fields: OrderFieldsOfTest): Promise<CreatedOrder> {
  const [fate] = await store.commands.perform([orderCommand(fields)])
  if (fate?.status !== 'fulfilled' || fate.value.type !== 'order') return assert.fail(String(fate?.status))
  return unwrap(fate.value.outcome)
}

function halves(n: number): OrderFieldsOfTest {
  const [token, coin] = walletsOf(n)
  return {
    options: [
      { walletIds: [token], currency: 'USDT', amount: '10' },
      { walletIds: [coin], currency: 'native', amount: '1' },
    ],
  }
}

/** A report to one option of an order. */
function paid(kind: DepositReport, n: number, option: 0 | 1, amount: string, at?: number): DepositFact {
  const [currency, toAddress] = [['Tether', '#native'][option] ?? '', addressOf(walletsOf(n)[option])]
  // Behind its creation, whatever the time of the database is.
  const receivedAt = at ?? Date.now() + 60_000
  return depositFact(kind, { txHash: `${n} ${option} ${amount}`, toAddress, currency, amount, receivedAt })
}

/** Reports it at a store. */
async function report(
  store: Store,
  kind: DepositReport,
  n: number,
  option: 0 | 1,
  amount: string,
  at?: number,
): Promise<void> {
  const fact = paid(kind, n, option, amount, at)
  const [fate] = await store.commands.perform([{ type: 'deposit', eventId: null, fact }])
  if (fate?.status !== 'fulfilled') throw fate?.reason
}

async function typesOf(store: Store, { order: { id } }: CreatedOrder): Promise<readonly string[]> {
  const { items } = unwrap(await store.events.page('alice', EVERYTHING))
  return items.flatMap(({ orderId, type }) => (orderId === id && type.startsWith('order.') ? [type] : []))
}

async function stateOf(store: Store, { order: { id } }: CreatedOrder) {
  const found = await store.orders.findWithOptions(id)
  assert.ok(found !== undefined)
  const { status, paidFraction } = orderState(found.order, found.invoices, found.readAt)
  return { status, paidFraction, isVoid: found.invoices.map(({ voidedAt }) => voidedAt !== null) }
}

test('two options that are paid at two processes at once complete an order once, however many orders', async () => {
  await withStores(async ([one, other, third]) => {
    const orders: CreatedOrder[] = []
    for (let n = 0; n < ORDERS; n += 1) orders.push(await created(third, halves(n)))
    await Promise.all(
      orders.flatMap((_, n) => [report(one, 'confirmed', n, 0, '5000000'), report(other, 'confirmed', n, 1, '0.5')]),
    )
    for (const order of orders) {
      const paid = { status: 'paid', paidFraction: '1.000000000000000000', isVoid: [true, true] }
      assert.deepEqual(await stateOf(third, order), paid)
      assert.deepEqual(await typesOf(third, order), ['order.created', 'order.partly', 'order.paid'])
    }
  })
})

test('of two options that are paid in full at once, one is paid and the other is too much', async () => {
  await withStores(async ([one, other, third]) => {
    const orders: CreatedOrder[] = []
    for (let n = 0; n < ORDERS; n += 1) orders.push(await created(third, halves(n)))
    await Promise.all(
      orders.flatMap((_, n) => [report(one, 'confirmed', n, 0, '10000000'), report(other, 'confirmed', n, 1, '1')]),
    )
    for (const order of orders) {
      const { status, paidFraction, isVoid } = await stateOf(third, order)
      assert.deepEqual([status, paidFraction, isVoid.filter(Boolean).length], ['paid', '2.000000000000000000', 1])
      assert.deepEqual(await typesOf(third, order), ['order.created', 'order.paid', 'order.overpaid'])
    }
  })
})

test('a payment that is taken back while another comes, and a voiding meanwhile, leave nothing half', async () => {
  await withStores(async ([one, other, third]) => {
    const orders: CreatedOrder[] = []
    for (let n = 0; n < ORDERS; n += 1) orders.push(await created(third, halves(n)))
    await Promise.all(orders.map((_, n) => report(one, 'confirmed', n, 0, '10000000')))
    await Promise.all(
      orders.flatMap(({ order: { id } }, n) => [
        report(one, 'dropped', n, 0, '10000000'),
        report(other, 'confirmed', n, 1, '0.5'),
        third.commands.perform([{ type: 'void-order', orderId: id, owner: 'alice' }]),
      ]),
    )
    for (const order of orders) {
      const { status, paidFraction } = await stateOf(third, order)
      assert.deepEqual([status, paidFraction], ['partly', '0.500000000000000000'])
      const types = await typesOf(third, order)
      assert.deepEqual(types.slice(0, 3), ['order.created', 'order.paid', ...types.slice(2, 3)])
      assert.equal(types.filter((type) => type === 'order.unpaid').length, 1)
    }
  })
})

test('money of nobody that leaves at one process while another counts it leaves no order that is paid by it', async () => {
  await withStores(async ([one, other, third]) => {
    const orders: CreatedOrder[] = []
    for (let n = 0; n < ORDERS; n += 1) orders.push(await created(third, halves(n)))
    for (let n = 0; n < ORDERS; n += 1) {
      await third.ledger.applyFacts([{ eventId: null, fact: walletAssigned(walletsOf(n)[0], 'bob') }])
      await report(third, 'confirmed', n, 0, '5000000')
    }
    await Promise.all(
      orders.flatMap((_, n) => [report(one, 'confirmed', n, 1, '0.5'), report(other, 'dropped', n, 0, '5000000')]),
    )
    for (const order of orders) {
      const half = { status: 'partly', paidFraction: '0.500000000000000000', isVoid: [false, false] }
      assert.deepEqual(await stateOf(third, order), half)
      const types = await typesOf(third, order)
      const isKnown = ['order.created,order.partly', 'order.created,order.paid,order.unpaid'].includes(types.join())
      assert.ok(isKnown, types.join())
    }
  })
})

test('money of nobody that leaves while it is found to have paid what is left of an order pays it no more', async () => {
  const clock = new ManualClock()
  await withStores(async ([one, other, third]) => {
    const orders: CreatedOrder[] = []
    for (let n = 0; n < ORDERS; n += 1) {
      const order = await created(third, halves(n))
      orders.push(order)
      await third.commands.perform([{ type: 'void', invoiceId: order.invoices[0]?.id ?? '', owner: 'alice' }])
      await third.ledger.applyFacts([{ eventId: null, fact: walletAssigned(walletsOf(n)[0], 'bob') }])
      await report(third, 'confirmed', n, 0, '10000000', clock.now() + 1)
    }
    clock.advance(EXPIRY_MS)
    const drops = async () => {
      for (let n = 0; n < ORDERS; n += 1) await report(other, 'dropped', n, 0, '10000000', clock.now())
    }
    await Promise.all([untilCaughtUp(one), drops()])
    await untilCaughtUp(third)
    for (const order of orders) {
      assert.deepEqual(await stateOf(third, order), { status: 'expired', paidFraction: NOTHING, isVoid: [true, true] })
      const types = await typesOf(third, order)
      const isKnown = ['order.created,order.expired', 'order.created,order.paid,order.unpaid,order.expired']
      assert.ok(isKnown.includes(types.join()), types.join())
    }
  }, clock)
})

async function untilCaughtUp(store: Store): Promise<void> {
  while (await store.commands.catchUp());
}

test('deposits of a push pay each order in their order, more than a transaction takes, beside those of another process', async () => {
  await withStores(async ([one, other, third]) => {
    const orders: CreatedOrder[] = []
    for (let n = 0; n < ORDERS; n += 1) orders.push(await created(third, halves(n)))
    const parts = [
      [0, '4000000'],
      [0, '6000000'],
      [1, '1'],
    ] as const
    const pushOf = (numbers: readonly number[]) =>
      parts.flatMap(([option, amount]) =>
        numbers.map((n) => ({ eventId: null, fact: paid('confirmed', n, option, amount) })),
      )
    const numbers = orders.map((_, n) => n)
    const [some, others] = [numbers.slice(0, -2), numbers.slice(-2)]
    const fates = await Promise.all([
      new WalletDirectory(one).recordDeposits(pushOf(some)),
      new WalletDirectory(other).recordDeposits(pushOf(others)),
    ])
    assert.ok(fates.flat().every(({ status }) => status === 'fulfilled'))
    for (const order of orders) {
      const state = { status: 'paid', paidFraction: '2.000000000000000000', isVoid: [false, true] }
      assert.deepEqual(await stateOf(third, order), state)
      const types = ['order.created', 'order.partly', 'order.paid', 'order.overpaid']
      assert.deepEqual(await typesOf(third, order), types)
    }
  })
})

test('equal prices that come to all processes at once ask different amounts, within half a percent', async () => {
  await withStores(async ([...stores]) => {
    const options = [{ walletIds: ['token-0'], currency: 'USDT' }]
    const commands = Array.from({ length: 6 }, () => orderCommand({ options }))
    const fates = (await Promise.all(stores.map((store) => store.commands.perform(commands)))).flat()
    const amounts: string[] = []
    const refusals: string[] = []
    for (const fate of fates) {
      if (fate.status !== 'fulfilled' || fate.value.type !== 'order') return assert.fail()
      const { outcome } = fate.value
      if (outcome.ok) amounts.push(outcome.value.invoices[0]?.amount ?? '')
      else refusals.push(outcome.failure.code)
    }
    assert.deepEqual(
      amounts.sort(),
      Array.from({ length: 14 }, (_, n) => `27.${18 + n}`),
    )
    assert.deepEqual(
      refusals,
      Array.from({ length: 4 }, () => 'amount_in_use'),
    )
  })
})
