import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { isNearlyPaid } from '../../src/domain/underpayment.js'

const LARGE = 10n ** 60n

describe('whether what has come is nearly the amount', () => {
  // Amount, what has come, and what may be missing in hundredths of a percent.
  const rows: readonly (readonly [string, bigint, bigint, number, boolean])[] = [
    ['exactly the share is missing', 2500n, 2400n, 400, true],
    ['a little less than the share is missing', 2500n, 2401n, 400, true],
    ['a little more than the share is missing', 2500n, 2399n, 400, false],
    ['nothing is missing', 2500n, 2500n, 400, false],
    ['too much has come', 2500n, 2501n, 400, false],
    ['nothing may be missing', 2500n, 2499n, 0, false],
    ['nothing has come', 2500n, 0n, 1000, false],
    ['nothing has come for the smallest amount', 1n, 0n, 1000, false],
    ['a hundredth of a percent may be missing', 10_000n, 9999n, 1, true],
    ['more than a hundredth of a percent is missing', 10_000n, 9998n, 1, false],
    ['the share is no whole number of atoms, and one atom more is missing than it', 999n, 959n, 400, false],
    ['the share is no whole number of atoms, and less is missing', 999n, 960n, 400, true],
    ['the share of a large amount is missing', LARGE, (LARGE * 9n) / 10n, 1000, true],
    ['an atom more than the share of a large amount is missing', LARGE, (LARGE * 9n) / 10n - 1n, 1000, false],
  ]
  for (const [what, amount, came, underpayment, expected] of rows) {
    test(what, () => assert.equal(isNearlyPaid(amount, came, underpayment), expected))
  }
})
