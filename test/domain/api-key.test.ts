import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { type ApiKey, authorise, DAY_MS, expiryOf, isTimely, knownPermissions } from '../../src/domain/api-key.js'
import { START_MS } from '../support/manual-clock.js'

const key: ApiKey = {
  id: '0123456789abcdef',
  owner: 'alice',
  label: 'shop',
  public_key: '0x02aa',
  permissions: 'invoices:create',
  expires_at: null,
  revoked_at: null,
  created_at: START_MS,
}

describe('what a verified key may do (decisions 2)', () => {
  const rows: readonly (readonly [string, ApiKey | undefined, string])[] = [
    ['an active key with the permission', key, 'ok'],
    ['an unknown key', undefined, 'unknown_api_key'],
    ['a revoked key', { ...key, revoked_at: START_MS - 1 }, 'api_key_revoked'],
    ['a key revoked in the future', { ...key, revoked_at: START_MS + 1 }, 'api_key_revoked'],
    ['a key that expires later', { ...key, expires_at: START_MS + 1 }, 'ok'],
    ['a key that expires now', { ...key, expires_at: START_MS }, 'ok'],
    ['a key that has expired', { ...key, expires_at: START_MS - 1 }, 'api_key_expired'],
    ['a key without the permission', { ...key, permissions: 'payments:send' }, 'permission_missing'],
    [
      'a key with a permission that only contains the name',
      { ...key, permissions: 'xinvoices:create' },
      'permission_missing',
    ],
    ['a key with several permissions', { ...key, permissions: 'payments:send,invoices:create' }, 'ok'],
    ['a revoked and expired key', { ...key, revoked_at: START_MS, expires_at: START_MS - 1 }, 'api_key_revoked'],
    [
      'an expired key without the permission',
      { ...key, expires_at: 1, permissions: 'payments:send' },
      'api_key_expired',
    ],
  ]
  for (const [what, one, expected] of rows) {
    test(`${what}: ${expected}`, () => {
      const outcome = authorise(one, 'invoices:create', START_MS)
      assert.equal(outcome.ok ? 'ok' : outcome.failure.code, expected)
    })
  }

  test('without a permission to ask for, every active key may, and no other', () => {
    const codes = [{ ...key, permissions: 'payments:send' }, { ...key, revoked_at: START_MS }, undefined].map((one) => {
      const outcome = authorise(one, null, START_MS)
      return outcome.ok ? 'ok' : outcome.failure.code
    })
    assert.deepEqual(codes, ['ok', 'api_key_revoked', 'unknown_api_key'])
  })

  test('the refusal names the missing permission', () => {
    const outcome = authorise({ ...key, permissions: 'payments:send' }, 'invoices:create', START_MS)
    assert.ok(!outcome.ok)
    assert.equal(outcome.failure.message, "This API key does not have the 'invoices:create' permission.")
  })
})

describe('permissions of a registration (decisions 3)', () => {
  test('keep the order of the request, without duplicates and unknown entries', () => {
    assert.deepEqual(
      knownPermissions([
        'treasury:approve',
        'nonsense',
        'invoices:create',
        'treasury:approve',
        7,
        null,
        ['payments:send'],
      ]),
      ['treasury:approve', 'invoices:create'],
    )
    assert.deepEqual(knownPermissions(['INVOICES:CREATE', ' invoices:create', 'constructor']), [])
    assert.deepEqual(knownPermissions([]), [])
  })
})

describe('the end of a key registered for ttlDays', () => {
  test('is that many days ahead, fractions allowed', () => {
    assert.equal(expiryOf(START_MS, 1), START_MS + DAY_MS)
    assert.equal(expiryOf(START_MS, 0.5), START_MS + DAY_MS / 2)
    assert.equal(expiryOf(START_MS, 1 / 3), START_MS + 28_800_000)
  })

  test('is an integer in the future however small the fraction', () => {
    assert.equal(expiryOf(START_MS, 1e-12), START_MS + 1)
    assert.equal(expiryOf(START_MS, Number.MIN_VALUE), START_MS + 1)
  })

  test('is a safe integer or none', () => {
    for (const days of [0, -0, -1, Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, 1e300, 2 ** 53]) {
      assert.equal(expiryOf(START_MS, days), undefined)
    }
    const most = Math.floor((Number.MAX_SAFE_INTEGER - START_MS) / DAY_MS)
    assert.equal(Number.isSafeInteger(expiryOf(START_MS, most)), true)
    assert.equal(expiryOf(START_MS, most + 1), undefined)
  })
})

describe('a request timestamp (decisions 2)', () => {
  const rows: readonly (readonly [string, string, boolean])[] = [
    ['now', `${START_MS}`, true],
    ['five minutes ago', `${START_MS - 300_000}`, true],
    ['five minutes ahead', `${START_MS + 300_000}`, true],
    ['a millisecond more than five minutes ago', `${START_MS - 300_001}`, false],
    ['a millisecond more than five minutes ahead', `${START_MS + 300_001}`, false],
    ['leading zeros', `000${START_MS}`, true],
    ['many leading zeros', `${'0'.repeat(40)}${START_MS}`, true],
    ['seconds', `${START_MS / 1000}`, false],
    ['NaN', 'NaN', false],
    ['an exponent', '1.7e12', false],
    ['1e12', '1e12', false],
    ['a fraction', `${START_MS}.0`, false],
    ['a plus', `+${START_MS}`, false],
    ['a minus', `-${START_MS}`, false],
    ['a space in front', ` ${START_MS}`, false],
    ['a space behind', `${START_MS} `, false],
    ['a line feed behind', `${START_MS}\n`, false],
    ['hex', `0x${START_MS.toString(16)}`, false],
    ['nothing', '', false],
    ['a huge number', '9'.repeat(400), false],
    ['full-width digits', '１７００００００００００００', false],
  ]
  for (const [what, text, expected] of rows) {
    test(`${what} is ${expected ? 'timely' : 'refused'}`, () => {
      assert.equal(isTimely(text, START_MS), expected)
    })
  }
})
