import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { ORDER_REFERENCE_LENGTH_MAX, optionReference, parseOrderRequest } from '../../src/domain/order.js'
import { refusalOf, unwrap } from '../support/fixtures.js'

const OPTION = { walletIds: ['w-1'], currency: 'USDT' }
const BODY = { price: { amount: '25.00', currency: 'EUR' }, options: [OPTION], name: ' Tea ' }

describe('the request for an order', () => {
  test('is read as it was sent', () => {
    const read = unwrap(
      parseOrderRequest(
        {
          ...BODY,
          options: [{ walletIds: ['a', 'b', 'a'], amount: '1.50' }, OPTION],
          metadata: { a: 'b' },
          owner: 'ignored',
        },
        ' alice ',
      ),
    )
    assert.deepEqual(read.options, [
      { walletIds: ['a', 'b'], currency: 'native', fixedAmount: '1.50' },
      { walletIds: ['w-1'], currency: 'USDT', fixedAmount: null },
    ])
    assert.deepEqual([read.owner, read.name, read.expiresInSeconds, read.reference], ['alice', 'Tea', 900, null])
    assert.deepEqual([read.price, read.fields.metadata], [BODY.price, { a: 'b' }])
  })

  test('leaves room for the number of an option in its reference', () => {
    const { reference } = unwrap(parseOrderRequest({ ...BODY, reference: 'x'.repeat(200) }, 'alice'))
    assert.equal(reference?.length, ORDER_REFERENCE_LENGTH_MAX)
    assert.equal(optionReference({ id: 'i', reference: reference ?? null }, 10).length, 80)
    assert.equal(optionReference({ id: 'i', reference: null }, 2), 'i/2')
  })

  const refusals: readonly (readonly [string, string, unknown])[] = [
    ['invalid_order', 'owner', null],
    ['invalid_order', 'name', { name: ' ' }],
    ['invalid_order', 'description', { description: 1 }],
    ['invalid_order', 'reference', { reference: {} }],
    ...[
      'x',
      null,
      {},
      { amount: 25, currency: 'EUR' },
      { amount: '0', currency: 'EUR' },
      { amount: '1e9', currency: 'EUR' },
    ].map((price) => ['invalid_price', 'price', { price }] as const),
    ...['eur', 'E', 'EURO POUNDS', '€', 'A'.repeat(13)].map(
      (currency) => ['invalid_price', 'price', { price: { amount: '1', currency } }] as const,
    ),
    ...[
      null,
      [],
      Array.from({ length: 11 }, (_, n) => ({ walletIds: [`w-${n}`] })),
      ['x'],
      [null],
      [{ currency: 'USDT' }],
      [{ walletIds: [] }],
      [{ ...OPTION, amount: 5 }],
      [{ ...OPTION, amount: '-5' }],
      [OPTION, { ...OPTION, walletIds: ['w-2', 'w-1'] }],
    ].map((options) => ['invalid_options', 'options', { options }] as const),
    ['unsupported_currency', 'currency', { options: [{ walletIds: ['w-1'], currency: 'usdt' }] }],
    ['invalid_expiry', 'expiresInSeconds', { expiresInSeconds: 59 }],
    ['invalid_metadata', 'metadata', { metadata: [] }],
  ]
  for (const [code, field, given] of refusals) {
    test(`is refused with ${code} for ${JSON.stringify(given)?.slice(0, 80)}`, () => {
      const outcome = parseOrderRequest(
        given === null ? BODY : { ...BODY, ...(given as object) },
        given === null ? null : 'alice',
      )
      assert.equal(refusalOf(outcome), code)
      assert.equal(!outcome.ok && outcome.failure.field, field)
    })
  }

  test('may name a wallet in options of different currencies', () => {
    assert.ok(parseOrderRequest({ ...BODY, options: [OPTION, { walletIds: ['w-1'] }] }, 'alice').ok)
  })
})
