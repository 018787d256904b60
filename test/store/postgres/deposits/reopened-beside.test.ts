import assert from 'node:assert/strict'
import { test as always } from 'node:test'
import type { DepositCommand } from '../../../../src/store/commands.js'
import type { Store } from '../../../../src/store/store.js'
import { invoiceRequest, unwrap } from '../../../support/fixtures.js'
import { perform, reported, type TwoProcesses, waiting, withTwoProcesses } from '../../../support/postgres-processes.js'
import { postgresForTests } from '../../../support/postgres-tests.js'

/*
 * An invoice on two wallets is paid on one of them. A reorganisation takes the payment back, while another process records a deposit to
 * the other wallet that is for another invoice, and enough for both. The invoice is paid, so the two have no wallet in common. A lock of
 * the log of their owner, held by somebody else, keeps the first of them before its commit.
 */

const server = await postgresForTests()

/** Skipped where there is no PostgreSQL. */
const test = server === null ? always.skip : always

const [ONE, OTHER] = ['one', 'other']
const EVERYTHING = { after: null, limit: 1000 }

/** Of one that can be notified a deposit looks no further than to its amount. */
async function createInvoice(store: Store, walletIds: readonly string[], amount: string): Promise<string> {
  const request = invoiceRequest({ walletIds, amount, reference: amount, callbackUrl: 'https://shop.test/hook' })
  const created = await perform(store, { type: 'invoice', request })
  if (created.type !== 'invoice') return assert.fail()
  return unwrap(created.outcome).id
}

/** Answers what the log tells of the payment of the invoice in the end. */
async function played(
  { one, other, operator }: TwoProcesses,
  [first, second]: readonly [DepositCommand, DepositCommand],
): Promise<readonly string[]> {
  const onBoth = await createInvoice(one, [ONE, OTHER], '1')
  await perform(one, reported('confirmed', 'taken-back', ONE, '1'))
  await createInvoice(one, [OTHER], '5')

  await operator.query('BEGIN')
  await operator.query(`SELECT 1 FROM event_heads WHERE owner = 'alice' FOR UPDATE`)
  const before = perform(one, first)
  await waiting(operator, 1)
  const behind = perform(other, second)
  await waiting(operator, 2)
  await operator.query('COMMIT')
  await Promise.all([before, behind])
  while (await one.commands.catchUp());

  assert.equal((await one.invoices.findWithPayment(onBoth))?.payment.status, 'paid')
  const { items } = unwrap(await one.events.page('alice', EVERYTHING))
  return items.flatMap(({ type, invoiceId }) =>
    invoiceId === onBoth && (type === 'invoice.paid' || type === 'invoice.unpaid') ? [type] : [],
  )
}

const takenBack = () => reported('dropped', 'taken-back', ONE, '1')
const enough = () => reported('confirmed', 'enough', OTHER, '5')

test('an invoice that lost its payment on one wallet stays paid by a deposit to another that was recorded before', async () => {
  await withTwoProcesses(server, [ONE, OTHER], async (processes) => {
    assert.deepEqual(await played(processes, [enough(), takenBack()]), ['invoice.paid'])
  })
})

test('an invoice that a reorganisation opens again on one wallet is paid by a deposit to another that is recorded behind it', async () => {
  await withTwoProcesses(server, [ONE, OTHER], async (processes) => {
    const told = await played(processes, [takenBack(), enough()])
    assert.deepEqual(told, ['invoice.paid', 'invoice.unpaid', 'invoice.paid'])
  })
})
