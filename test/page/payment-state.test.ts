import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { type Payment, paymentOf } from '../../src/domain/payment.js'
import { awaitedBy, leftToSend, type PaymentState, paymentStateOf } from '../../src/page/payment-state.js'
import { ownSums } from '../support/received-since.js'
import { LATE_MS } from './frame.js'

const COIN = 10n ** 18n

interface Row {
  readonly when: string
  /** Coins, confirmed and pending, of an invoice of 25. */
  readonly confirmed: number
  readonly pending: number
  readonly isVoid?: boolean
  readonly state: PaymentState
}

const rows: readonly Row[] = [
  { when: 'nothing came', confirmed: 0, pending: 0, state: { kind: 'nothing_seen', missing: '25' } },
  {
    when: 'a part is pending',
    confirmed: 0,
    pending: 10,
    state: { kind: 'partly_seen', seen: '10', missing: '15', isPending: true },
  },
  {
    when: 'a part is confirmed',
    confirmed: 10,
    pending: 0,
    state: { kind: 'partly_seen', seen: '10', missing: '15', isPending: false },
  },
  {
    when: 'a part is confirmed and another pending',
    confirmed: 10,
    pending: 5,
    state: { kind: 'partly_seen', seen: '15', missing: '10', isPending: true },
  },
  { when: 'all is pending', confirmed: 0, pending: 25, state: { kind: 'all_seen', seen: '25', excess: '0' } },
  { when: 'the rest is pending', confirmed: 10, pending: 15, state: { kind: 'all_seen', seen: '25', excess: '0' } },
  { when: 'more is pending', confirmed: 10, pending: 20, state: { kind: 'all_seen', seen: '30', excess: '5' } },
  { when: 'all is confirmed', confirmed: 25, pending: 0, state: { kind: 'paid' } },
  {
    when: 'more is confirmed',
    confirmed: 30,
    pending: 0,
    state: { kind: 'overpaid', excess: '5', isPending: false },
  },
  {
    when: 'all is confirmed and more pending',
    confirmed: 25,
    pending: 5,
    state: { kind: 'overpaid', excess: '5', isPending: true },
  },
  {
    when: 'more is confirmed and more pending',
    confirmed: 30,
    pending: 5,
    state: { kind: 'overpaid', excess: '10', isPending: true },
  },
  {
    when: 'it is void and nothing came',
    confirmed: 0,
    pending: 0,
    isVoid: true,
    state: { kind: 'closed', received: '0', pending: '0' },
  },
  {
    when: 'it is void and all of it came',
    confirmed: 25,
    pending: 5,
    isVoid: true,
    state: { kind: 'closed', received: '25', pending: '5' },
  },
]

function paymentFor({ confirmed, pending }: Pick<Row, 'confirmed' | 'pending'>): Payment {
  return paymentOf(25n * COIN, ownSums({ confirmed: BigInt(confirmed) * COIN, pending: BigInt(pending) * COIN }))
}

function stateOf(row: Pick<Row, 'confirmed' | 'pending' | 'isVoid'>): PaymentState {
  return paymentStateOf(paymentFor(row), row.isVoid ?? false)
}

describe('where a payment of 25 stands', () => {
  for (const { when, state, ...sums } of rows) {
    test(`is ${state.kind} when ${when}`, () => assert.deepEqual(stateOf(sums), state))
  }

  test('leaves something to send exactly while less was seen than is asked, and the invoice is payable', () => {
    for (const row of rows) {
      const missing = row.isVoid === true ? 0 : Math.max(0, 25 - row.confirmed - row.pending)
      assert.equal(leftToSend(stateOf(row)), missing === 0 ? null : String(missing), row.when)
    }
  })

  const NOW = 1_800_000_000_000
  const awaited = (row: Row, voidedAt: number) =>
    awaitedBy(paymentFor(row), row.isVoid === true ? voidedAt : null, { nowMs: NOW, lateMs: LATE_MS })

  test('is awaited while it is not paid, or anything is pending', () => {
    for (const row of rows) {
      const { when, confirmed, pending, isVoid = false } = row
      const isAwaited = pending > 0 || (confirmed < 25 && !isVoid)
      assert.equal(awaited(row, 0), isAwaited ? 'payment' : null, when)
    }
  })

  test('waits for what is late, when it is void, for as long as it is told', () => {
    const row = { when: 'void', confirmed: 0, pending: 0, isVoid: true, state: { kind: 'paid' } } as const
    assert.equal(awaited(row, NOW), 'latecomer')
    assert.equal(awaited(row, NOW - LATE_MS + 1), 'latecomer')
    assert.equal(awaited(row, NOW - LATE_MS), null)
    assert.equal(awaited({ ...row, pending: 5 }, NOW - LATE_MS), 'payment')
  })
})
