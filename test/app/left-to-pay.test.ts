import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { type LeftOption, leftToPay } from '../../packages/app/src/orders/left-to-pay.js'

/** An option in two coins of an order: what it asks, what is pending of it, and what the service says is missing. */
function option(amount: string, pending: string, remaining: string): LeftOption {
  return { invoice: { amount }, payment: { pending }, remaining }
}

describe('what a customer still has to send', () => {
  for (const [what, first, other, left] of [
    ['all, as the service writes it', option('13.50', '0', '13.50'), option('0.005', '0', '0.005'), '13.50'],
    ['what is not confirmed yet off', option('13.5', '0', '6.5'), option('0.005', '0', '0.0025'), '6.5'],
    ['what was seen of its coin off', option('13.5', '3.25', '13.5'), option('0.005', '0', '0.005'), '10.25'],
    ['what was seen of another coin off', option('100', '0', '100'), option('0.004', '0.001', '0.004'), '75'],
    ['both off', option('100', '20', '80'), option('0.004', '0.001', '0.0032'), '35'],
    ['nothing when all was seen', option('100', '100', '100'), option('0.004', '0', '0.004'), '0'],
    ['nothing when more was seen', option('100', '100.5', '100'), option('0.004', '0.001', '0.004'), '0'],
    [
      'no place of a coin lost',
      option('1', '0.000000000000000001', '1'),
      option('1', '0', '1'),
      '0.999999999999999999',
    ],
    ['whole tens', option('40', '20', '40'), option('1', '0', '1'), '20'],
  ] as const) {
    test(`takes ${what}: ${left}`, () => assert.equal(leftToPay([first, other], first), left))
  }
})
