import assert from 'node:assert/strict'
import type { DepositReport } from '../../src/domain/deposit.js'
import type { Scenario } from '../contract/store/harness.js'
import { addressOf, unwrap, walletAssigned } from './fixtures.js'
import { START_MS } from './manual-clock.js'
import { orderCommand } from './orders.js'

const EVENTS_MAX = 100

function reportHalf(t: Scenario, kind: DepositReport, txHash: string) {
  return t.deposit(kind, { txHash, toAddress: addressOf('given'), amount: '5', receivedAt: START_MS + 1 })
}

/** Orders of alice: one leans, on three wallets, on money that is matched to no invoice; one has counted none. */
export async function leaningOrder(t: Scenario): Promise<void> {
  await t.own('alice', 'given', 'kept', 'other')
  const sets = [['given', 'kept'], ['other']]
  const lists = [sets.map((walletIds) => ({ walletIds, currency: 'native', amount: '10' })), optionsOf('kept')]
  for (const options of lists) {
    const result = await t.perform(orderCommand({ options }))
    assert.ok(result.type === 'order')
    unwrap(result.outcome)
  }
  await reportHalf(t, 'pending', 'own')
  await t.tell(walletAssigned('given', 'bob'))
  await reportHalf(t, 'confirmed', 'of nobody')
  await reportHalf(t, 'confirmed', 'own')
  assert.deepEqual(await toldOfOrders(t), ['order.created', 'order.created', 'order.paid'])
}

function optionsOf(walletId: string) {
  return [{ walletIds: [walletId], currency: 'native', amount: '99' }]
}

/** Drops that money: the order is not paid any more. */
export async function dropsWhatItLeansOn(t: Scenario): Promise<void> {
  await reportHalf(t, 'dropped', 'of nobody')
  assert.deepEqual(await toldOfOrders(t), ['order.created', 'order.created', 'order.paid', 'order.unpaid'])
}

async function toldOfOrders(t: Scenario): Promise<readonly string[]> {
  const { items } = unwrap(await t.store.events.page('alice', { after: null, limit: EVENTS_MAX }))
  return items.map(({ type }) => type).filter((type) => type.startsWith('order.'))
}
