import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { parseInvoiceAmount } from '../../src/domain/amount.js'
import { paymentOf } from '../../src/domain/payment.js'
import { dueIn } from '../../src/page/due.js'
import { ownSums } from '../support/received-since.js'

function atoms(text: string): bigint {
  return text === '0' ? 0n : (parseInvoiceAmount(text) ?? assert.fail(text))
}

/** An amount, what is confirmed and pending of it, and the decimal places of the coin; the state and what is left. */
type Row = readonly [
  amount: string,
  confirmed: string,
  pending: string,
  decimals: number,
  kind: string,
  left: string | null,
]

const THIRD = '33.333333333333336'

const rows: readonly Row[] = [
  // As many places as the coin has: nothing is rounded, and the merchant's spelling stays.
  ['25.00', '0', '0', 6, 'nothing_seen', '25.00'],
  ['25.00', '10', '0', 6, 'partly_seen', '15'],
  ['25', '25.5', '0', 6, 'overpaid', null],
  // More than it has: rounded up, whatever was seen.
  [THIRD, '0', '0', 6, 'nothing_seen', '33.333334'],
  [THIRD, '0', '0', 18, 'nothing_seen', THIRD],
  [THIRD, '10', '0', 6, 'partly_seen', '23.333334'],
  [THIRD, '10', '3.333333', 6, 'partly_seen', '20.000001'],
  [THIRD, '33.333333', '0', 6, 'partly_seen', '0.000001'],
  ['0.0000001', '0', '0', 6, 'nothing_seen', '0.000001'],
  ['7.5', '0', '0', 0, 'nothing_seen', '8'],
  ['25.000000000', '0', '0', 6, 'nothing_seen', '25'],
  // What was rounded up is no excess, and what is beyond it is one.
  [THIRD, '0', '33.333334', 6, 'all_seen', null],
  [THIRD, '33.333334', '0', 6, 'paid', null],
  [THIRD, '33.333335', '0', 6, 'overpaid', null],
  // Of a coin that carries it exactly, exactly that is enough.
  [THIRD, '0', THIRD, 6, 'all_seen', null],
]

describe('what is due in a coin', () => {
  for (const [amount, confirmed, pending, decimals, kind, left] of rows) {
    test(`of ${amount}, ${confirmed} confirmed and ${pending} pending, is ${left} with ${decimals} places`, () => {
      const payment = paymentOf(atoms(amount), ownSums({ confirmed: atoms(confirmed), pending: atoms(pending) }))
      const { state, left: asked } = dueIn(decimals, { amount }, payment, false)
      assert.deepEqual([state.kind, asked], [kind, left])
    })
  }

  test('says as excess what is beyond the rounded amount', () => {
    const sums = { confirmed: atoms('40'), pending: 0n }
    const { state } = dueIn(6, { amount: THIRD }, paymentOf(atoms(THIRD), ownSums(sums)), false)
    assert.deepEqual(state, { kind: 'overpaid', excess: '6.666666', isPending: false })
    const pending = paymentOf(atoms(THIRD), ownSums({ confirmed: 0n, pending: atoms('40') }))
    assert.deepEqual(dueIn(6, { amount: THIRD }, pending, false).state, {
      kind: 'all_seen',
      seen: '40',
      excess: '6.666666',
    })
  })
})
