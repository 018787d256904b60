import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { formatAmount, parseInvoiceAmount } from '../../src/domain/amount.js'
import {
  excessOf,
  isNearlyWhole,
  isWhole,
  orderStatus,
  orderVoidedAt,
  type Portion,
  remainingOf,
  seenShareOf,
  shareOf,
  shareText,
  standingOf,
} from '../../src/domain/order-share.js'

const atoms = (text: string) => (text === '0' ? 0n : (parseInvoiceAmount(text) ?? assert.fail(text)))
const portion = (amount: string, confirmed = '0', pending = '0'): Portion => ({
  amount: atoms(amount),
  own: { confirmed: atoms(confirmed), pending: atoms(pending) },
})

describe('how much of an order has come', () => {
  const rows: readonly (readonly [string, readonly Portion[], string])[] = [
    ['nothing', [portion('10'), portion('3')], '0.000000000000000000'],
    ['a half of one and a half of another', [portion('10', '5'), portion('3', '1.5')], '1.000000000000000000'],
    ['three thirds', [portion('3', '1'), portion('0.3', '0.1'), portion('9', '3')], '1.000000000000000000'],
    ['the last place is missing', [portion('3', '2.999999999999999999')], '0.999999999999999999'],
    ['too much', [portion('10', '10'), portion('3', '1')], '1.333333333333333333'],
    ['what is only seen does not count', [portion('10', '5', '5')], '0.500000000000000000'],
  ]
  for (const [name, portions, text] of rows) {
    test(name, () => assert.equal(shareText(shareOf(portions)), text))
  }

  test('is judged exactly, whatever is shown', () => {
    const nearly = shareOf([portion('3000000000000000000', '2999999999999999999.999999999999999999')])
    assert.deepEqual([shareText(nearly), isWhole(nearly)], ['0.999999999999999999', false])
    assert.ok(isWhole(seenShareOf([portion('10', '5', '5')])))
  })

  test('stands as none, partly or paid', () => {
    assert.deepEqual(
      [portion('10'), portion('10', '0.000000000000000001'), portion('10', '10')].map((one) =>
        standingOf(shareOf([one])),
      ),
      ['none', 'partly', 'paid'],
    )
  })

  test('is nearly all within the share that an operator allows, and not when it is all', () => {
    const nearly = (confirmed: string) => isNearlyWhole(shareOf([portion('10', confirmed)]), 100)
    assert.deepEqual(['9.8999', '9.9', '9.9999', '10'].map(nearly), [false, true, true, false])
  })
})

describe('what remains of an order in a coin', () => {
  const remaining = (portions: readonly Portion[], at: number, decimals: number) =>
    formatAmount(remainingOf(shareOf(portions), portions[at]?.amount ?? 0n, decimals))

  test('is rounded up to the places of the option', () => {
    const third = [portion('10', '3.333333'), portion('1')]
    assert.deepEqual(
      [remaining(third, 0, 2), remaining(third, 1, 6), remaining(third, 1, 18)],
      ['6.67', '0.666667', '0.6666667'],
    )
  })

  test('is nothing once it is paid', () => {
    assert.equal(remaining([portion('10', '11')], 0, 2), '0')
  })

  test('completes the order when it is paid, in whichever coin, and never makes an excess', () => {
    const amount = fc.bigInt({ min: 1n, max: 10n ** 30n })
    const option = fc.record({
      amount,
      part: fc.bigInt({ min: 0n, max: 999n }),
      decimals: fc.integer({ min: 0, max: 18 }),
    })
    fc.assert(
      fc.property(fc.array(option, { minLength: 1, maxLength: 10 }), fc.nat(), (options, n) => {
        const parts = BigInt(options.length) * 1000n
        const portions = options.map((one) => ({
          amount: one.amount,
          own: { confirmed: (one.amount * one.part) / parts, pending: 0n },
        }))
        const at = n % options.length
        const { decimals = 0 } = options[at] ?? {}
        const own = portions[at] ?? assert.fail()
        const before = shareOf(portions)
        assert.ok(!isWhole(before))
        const rest = remainingOf(before, own.amount, decimals)
        const paid = { ...own, own: { confirmed: own.own.confirmed + rest, pending: 0n } }
        const after = shareOf(portions.map((one, i) => (i === at ? paid : one)))
        assert.ok(isWhole(after))
        assert.equal(excessOf(after, own.amount, decimals), 0n)
      }),
    )
  })
})

describe('what came too much for an order', () => {
  test('is told in the coin that came, rounded down to its places', () => {
    const share = shareOf([portion('10', '10'), portion('1', '0.25')])
    assert.equal(formatAmount(excessOf(share, atoms('1'), 6)), '0.25')
    assert.equal(formatAmount(excessOf(shareOf([portion('10', '10.019')]), atoms('10'), 2)), '0.01')
    assert.equal(excessOf(shareOf([portion('10', '9')]), atoms('10'), 2), 0n)
  })
})

describe('the status of an order', () => {
  const at = (fields: { acceptedAt?: number; voidedAt?: number }, confirmed = '0') =>
    orderStatus({ acceptedAt: null, voidedAt: null, expiresAt: 100, ...fields }, shareOf([portion('10', confirmed)]))

  for (const [name, status, expected] of [
    ['paid goes before its end', at({ voidedAt: 50 }, '10'), 'paid'],
    ['accepted is paid', at({ acceptedAt: 50 }), 'paid'],
    ['something goes before its end', at({ voidedAt: 100 }, '1'), 'partly'],
    ['void at its expiry is expired', at({ voidedAt: 100 }), 'expired'],
    ['void before is void', at({ voidedAt: 99 }), 'void'],
    ['else it is unpaid', at({}), 'unpaid'],
  ] as const) {
    test(name, () => assert.equal(status, expected))
  }

  test('is void by the clock once none of its invoices can be paid', () => {
    const order = { acceptedAt: null, voidedAt: null, expiresAt: 100 }
    const [none, whole] = [shareOf([portion('10')]), shareOf([portion('10', '10')])]
    const rows = [
      [orderVoidedAt(order, none, [90, null], 200), null],
      [orderVoidedAt(order, none, [90, 95], 99), 95],
      [orderVoidedAt(order, none, [90, 100], 100), 100],
      [orderVoidedAt(order, whole, [90, 95], 200), null],
      [orderVoidedAt({ ...order, acceptedAt: 80 }, none, [90, 95], 200), null],
      [orderVoidedAt({ ...order, voidedAt: 60 }, whole, [60, 60], 200), 60],
    ]
    for (const [found, expected] of rows) assert.equal(found, expected)
  })
})
