import assert from 'node:assert/strict'
import { test as always } from 'node:test'
import { orderState } from '../../../../src/domain/order-share.js'
import type { Store } from '../../../../src/store/store.js'
import { invoiceRequest, unwrap } from '../../../support/fixtures.js'
import { orderCommand } from '../../../support/orders.js'
import { perform, reported, waiting, withTwoProcesses } from '../../../support/postgres-processes.js'
import { postgresForTests } from '../../../support/postgres-tests.js'

/*
 * A deposit is matched on one wallet while another deposit, at another process and to another wallet, ends a candidate of it: the option
 * of an order that it completes. A lock of the log of their owner, held by somebody else, keeps the other one before its commit.
 */

const server = await postgresForTests()

/** Skipped where there is no PostgreSQL. */
const test = server === null ? always.skip : always

const [COIN, TOKEN] = ['coin', 'token']
const EVERYTHING = { after: null, limit: 1000 }

/** An invoice of 5 ether, and behind it an order of 1 ether on the same wallet or 10 USDT on the other one. */
async function invoiceAndOption(store: Store): Promise<readonly [string, string]> {
  const request = invoiceRequest({ walletIds: [COIN], currency: 'native', amount: '5' })
  const created = await perform(store, { type: 'invoice', request })
  const options = [
    { walletIds: [COIN], currency: 'native', amount: '1' },
    { walletIds: [TOKEN], currency: 'USDT', amount: '10' },
  ]
  const ordered = await perform(store, orderCommand({ options }))
  if (created.type !== 'invoice' || ordered.type !== 'order') return assert.fail()
  return [unwrap(created.outcome).id, unwrap(ordered.outcome).invoices[0]?.id ?? '']
}

async function matchOf(store: Store, tx: string): Promise<string | null | undefined> {
  const { items } = unwrap(await store.events.page('alice', EVERYTHING))
  return items.find(({ type, deposit }) => type === 'deposit.confirmed' && deposit?.txHash === tx)?.invoiceId
}

test('a deposit is not matched to an option that its order ends while the deposit waits for it', async () => {
  await withTwoProcesses(server, [COIN, TOKEN], async ({ one, other, operator }) => {
    const [invoice, option] = await invoiceAndOption(one)
    // It pays the invoice, whose amount it is, and is enough for all that is on the wallet.
    await perform(one, reported('confirmed', 'first', COIN, '5'))
    assert.equal(await matchOf(one, 'first'), invoice)

    await operator.query('BEGIN')
    await operator.query(`SELECT 1 FROM event_heads WHERE owner = 'alice' FOR UPDATE`)
    const completing = perform(one, reported('confirmed', 'completing', TOKEN, '10000000', 'Tether'))
    await waiting(operator, 1)
    const late = perform(other, reported('confirmed', 'late', COIN, '3'))
    await waiting(operator, 2)
    await operator.query('COMMIT')
    await Promise.all([completing, late])

    assert.notEqual((await one.invoices.findWithPayment(option))?.voidedAt, null)
    assert.equal(await matchOf(one, 'late'), invoice)
  })
})

test('a deposit comes to an option that lives again at that moment, and both are recorded, one after the other', async () => {
  await withTwoProcesses(server, [COIN, TOKEN], async ({ one, other, operator }) => {
    const [invoice, option] = await invoiceAndOption(one)
    await perform(one, { type: 'void', invoiceId: invoice, owner: 'alice' })
    await perform(one, reported('confirmed', 'completing', TOKEN, '10000000', 'Tether'))

    await operator.query('BEGIN')
    await operator.query('SELECT 1 FROM orders FOR UPDATE')
    // Each has locked the wallet of its deposit then. The first one needs the other's too, since it lets the option live again.
    const dropped = perform(one, reported('dropped', 'completing', TOKEN, '10000000', 'Tether'))
    await waiting(operator, 1)
    const late = perform(other, reported('confirmed', 'late', COIN, '1'))
    await waiting(operator, 2)
    await operator.query('COMMIT')
    await Promise.all([dropped, late])

    assert.equal(await matchOf(one, 'late'), option)
    const { items } = await one.orders.page('alice', EVERYTHING, { orderNumber: null })
    const states = items.map((found) => orderState(found.order, found.invoices, found.readAt))
    assert.deepEqual(
      states.map(({ status, paidFraction }) => [status, paidFraction]),
      [['paid', '1.000000000000000000']],
    )
  })
})

test('an option does not live again beside an invoice of its amount that is created at that moment', async () => {
  await withTwoProcesses(server, [COIN, TOKEN], async ({ one, other, operator }) => {
    const [, option] = await invoiceAndOption(one)
    await perform(one, reported('confirmed', 'completing', TOKEN, '10000000', 'Tether'))

    await operator.query('BEGIN')
    await operator.query(`SELECT 1 FROM event_heads WHERE owner = 'alice' FOR UPDATE`)
    const request = invoiceRequest({ walletIds: [COIN], currency: 'native', amount: '1' })
    const creating = perform(other, { type: 'invoice', request })
    await waiting(operator, 1)
    const dropped = perform(one, reported('dropped', 'completing', TOKEN, '10000000', 'Tether'))
    await waiting(operator, 2)
    await operator.query('COMMIT')
    const [created] = await Promise.all([creating, dropped])

    assert.ok(created.type === 'invoice' && created.outcome.ok)
    assert.notEqual((await one.invoices.findWithPayment(option))?.voidedAt, null)
  })
})
