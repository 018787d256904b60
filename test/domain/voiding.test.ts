import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import {
  decideExpiry,
  type Ending,
  isCovered,
  isExpiryDue,
  NO_ENDING,
  refuseVoiding,
  voidedAtBy,
} from '../../src/domain/voiding.js'

const expiring: Ending = { ...NO_ENDING, expiresAt: 1000 }

describe('when an invoice is void, judged by the clock (decisions 4)', () => {
  const rows: readonly (readonly [string, Ending, boolean, number, number | null])[] = [
    ['never without an expiry', NO_ENDING, false, 1e12, null],
    ['not before its expiry', expiring, false, 999, null],
    ['from its expiry on', expiring, false, 1000, 1000],
    ['since its expiry, long after', expiring, false, 5000, 1000],
    ['not when it is paid or being paid by then', expiring, true, 5000, null],
    ['not when it was paid or being paid at its expiry', { ...expiring, hasOutlivedExpiry: true }, false, 5000, null],
    ['since it was voided', { ...NO_ENDING, voidedAt: 7 }, false, 5000, 7],
    ['since it was voided, though paid since', { ...NO_ENDING, voidedAt: 7 }, true, 5000, 7],
    ['since it was voided, not since its expiry', { ...expiring, voidedAt: 7 }, false, 5000, 7],
  ]
  for (const [what, ending, isCoveredNow, nowMs, expected] of rows) {
    test(what, () => {
      assert.equal(voidedAtBy(ending, isCoveredNow, nowMs), expected)
    })
  }

  test('is decided once', () => {
    const kept = decideExpiry(expiring, true)
    const ended = decideExpiry(expiring, false)
    for (const decided of [kept, ended]) assert.equal(isExpiryDue(decided, 5000), false)
    assert.equal(kept.voidedAt, null)
    assert.equal(ended.voidedAt, 1000)
  })
})

describe('whether an invoice can be voided', () => {
  test('is its owner who asks, and nothing covers it', () => {
    assert.equal(refuseVoiding('alice', 'alice', false), null)
    assert.equal(refuseVoiding('bob', 'alice', false)?.code, 'not_invoice_owner')
    assert.equal(refuseVoiding('bob', 'alice', true)?.code, 'not_invoice_owner')
    assert.equal(refuseVoiding('alice', 'alice', true)?.code, 'invoice_paid')
  })

  test('is covered by what was received and what is pending together', () => {
    assert.equal(isCovered(10n, { confirmed: 4n, pending: 5n }), false)
    assert.equal(isCovered(10n, { confirmed: 4n, pending: 6n }), true)
    assert.equal(isCovered(10n, { confirmed: 10n, pending: 0n }), true)
  })
})
