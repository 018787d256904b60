import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { DAY_MS } from '../../src/domain/api-key.js'
import { parseImportedRecord } from '../../src/domain/imported-record.js'
import { TEST_NETWORKS } from '../support/networks.js'

const AT = 0x019a_0000_0000
const IMPORTING = { networks: TEST_NETWORKS, nowMs: AT + DAY_MS }
const INVOICE = `019a00000000${'b'.repeat(20)}`
const OPTION = {
  ...{ invoice: { id: INVOICE }, rate: '2950.10', rateAt: AT - 1, spread: '0.5', decimals: 6, isVoidedByOrder: false },
}
const FIXED = { ...OPTION, rate: null, rateAt: null, spread: null }
const OWN = { ...FIXED, rate: '1' }
const RECORD = {
  ...{ id: `019a00000000${'a'.repeat(20)}`, owner: 'alice', price: { amount: '25.00', currency: 'EUR' }, name: 'Tea' },
  ...{ created_at: AT, expires_at: AT + 900_000, voided_at: null, accepted_at: null, options: [OPTION, FIXED, OWN] },
}

describe('an imported order', () => {
  test('is read with what another store needs to go on with it', () => {
    const texts = { description: 'Green', reference: 'o-1', callbackUrl: 'https://shop.example/hook' }
    const fields = { returnUrl: 'https://shop.example/', orderNumber: 'N-1', metadata: { cart: '7' } }
    const options = [
      { rate: { rate: '2950.10', at: AT - 1, spread: 50 }, isFixed: false },
      { rate: null, isFixed: true },
      { rate: null, isFixed: false },
    ]
    assert.deepEqual(parseImportedRecord({ ...RECORD, ...texts, ...fields, status: 'paid' }, IMPORTING), {
      type: 'order',
      order: {
        ...{ id: RECORD.id, owner: 'alice', price: RECORD.price, name: 'Tea', ...texts, fields },
        ...{ createdAt: AT, expiresAt: AT + 900_000, voidedAt: null, acceptedAt: null },
        ...{ isExpiryDecided: true, standing: 'none', isLeaning: false },
        options: options.map((option) => ({ invoiceId: INVOICE, decimals: 6, isVoidedByOrder: false, ...option })),
      },
    })
  })

  const FLAWS: readonly (readonly [change: object, flaw: string])[] = [
    [{ id: 'x' }, 'id must be 32 lower-case hex characters'],
    [{ created_at: AT + 1 }, 'created_at is not the time of its id'],
    [{ price: { amount: '0', currency: 'EUR' } }, 'price must be an amount greater than zero and a currency'],
    [{ expires_at: null }, 'expires_at is missing'],
    [{ expires_at: AT }, 'expires_at must be 60 to 31536000 seconds after created_at'],
    [{ voided_at: AT, accepted_at: AT }, 'an order is void or accepted, not both'],
    [{ reference: 'x'.repeat(78) }, 'reference is longer than 77 characters'],
    [{ name: ' ' }, 'name is blank'],
    [{ options: [] }, 'options must be 1 to 10'],
    [{ options: [OPTION, {}] }, 'option 2: invoice is missing'],
    [{ options: [{ ...OPTION, decimals: 19 }] }, 'option 1: decimals must be an integer from 0 to 18'],
    [{ options: [{ ...OPTION, isVoidedByOrder: null }] }, 'option 1: isVoidedByOrder must be true or false'],
    [{ options: [{ ...OPTION, spread: '1.234' }] }, 'option 1: spread must be a decimal of percent'],
    [{ options: [{ ...OPTION, rate: '-1' }] }, 'option 1: rate must be a decimal greater than zero'],
    [{ options: [{ ...OPTION, rate: '0.0' }] }, 'option 1: rate must be a decimal greater than zero'],
    [{ metadata: { cart: 7 } }, 'metadata is none of an order'],
    [
      { callbackUrl: 'ftp://shop.example' },
      'callbackUrl must be an absolute http or https URL of at most 2048 characters, without user and password',
    ],
  ]
  for (const [change, flaw] of FLAWS) {
    test(`is refused: ${flaw}`, () => {
      assert.deepEqual(parseImportedRecord({ ...RECORD, ...change }, IMPORTING), { type: 'flaw', flaw })
    })
  }
})
