import assert from 'node:assert/strict'
import { test as always } from 'node:test'
import type { Store } from '../../../../src/store/store.js'
import { invoiceRequest, unwrap } from '../../../support/fixtures.js'
import { perform, performAll, reported, waiting, withTwoProcesses } from '../../../support/postgres-processes.js'
import { postgresForTests } from '../../../support/postgres-tests.js'

/*
 * Webhooks that show the payment of an invoice on two wallets, of which a deposit to one locks only this one: the invoice is paid. The
 * newest delivery, locked by somebody else, keeps that deposit before its commit, while another process commits a report of a deposit
 * to the other wallet. That tells no webhook, so it does not wait.
 */

const server = await postgresForTests()

/** Skipped where there is no PostgreSQL. */
const test = server === null ? always.skip : always

const [ONE, OTHER] = ['one', 'other']
const EVERYTHING = { after: null, limit: 1000 }

async function createInvoice(store: Store, walletIds: readonly string[], amount: string, reference: string) {
  const request = invoiceRequest({ walletIds, amount, currency: 'native', reference })
  const created = await perform(store, { type: 'invoice', request })
  if (created.type !== 'invoice') return assert.fail()
  unwrap(created.outcome)
}

/** A paid invoice on both wallets, and a pending deposit of 3 to the other wallet for an invoice of its own. */
async function paidAndBeside(store: Store): Promise<void> {
  await store.webhooks.put('alice', 'https://shop.test/hook', 'with-invoice')
  await createInvoice(store, [ONE, OTHER], '1', 'on-both')
  await perform(store, reported('confirmed', 'paying', ONE, '1'))
  await createInvoice(store, [OTHER], '3', 'beside')
  await perform(store, reported('pending', 'beside', OTHER, '3'))
}

/** What the log tells of some deposits, in its order. */
async function logOf(store: Store, txHashes: readonly string[]): Promise<readonly string[]> {
  const { items } = unwrap(await store.events.page('alice', EVERYTHING))
  return items.flatMap(({ type, deposit }) =>
    deposit !== null && txHashes.includes(deposit.txHash) ? [`${type} ${deposit.txHash}`] : [],
  )
}

/** What an invoice has received as the last webhook of a deposit shows it. */
async function shownBy(store: Store, txHash: string) {
  const { items } = await store.outbox.page('alice', EVERYTHING)
  const bodies = items.map(({ body }) => JSON.parse(body))
  const { received, pending, overpaid } = bodies.find((body) => body.txHash === txHash)?.invoice ?? {}
  return { received, pending, overpaid }
}

test('a webhook shows nothing of a deposit on another wallet that the log told as dropped before', async () => {
  await withTwoProcesses(server, [ONE, OTHER], async ({ one, other, operator }) => {
    await paidAndBeside(one)

    await operator.query('BEGIN')
    await operator.query('SELECT 1 FROM delivery_head FOR UPDATE')
    const showing = performAll(one, [
      reported('pending', 'first', ONE, '7'),
      reported('confirmed', 'second', ONE, '20'),
    ])
    await waiting(operator, 1)
    await perform(other, reported('dropped', 'beside', OTHER, '3'))
    await operator.query('COMMIT')
    await showing

    const log = await logOf(one, ['beside', 'first', 'second'])
    assert.deepEqual(log, [
      'deposit.pending beside',
      'deposit.dropped beside',
      'deposit.pending first',
      'deposit.pending second',
      'deposit.confirmed second',
    ])
    assert.deepEqual(await shownBy(one, 'first'), { received: '1', pending: '7', overpaid: '0' })
    assert.deepEqual(await shownBy(one, 'second'), { received: '21', pending: '7', overpaid: '20' })
  })
})
