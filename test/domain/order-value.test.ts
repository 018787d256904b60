import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { formatAmount, parseInvoiceAmount } from '../../src/domain/amount.js'
import { optionOf, rateOfOption, roundedValueText, valueAt, valueText } from '../../src/domain/order-value.js'

const atoms = (text: string) => parseInvoiceAmount(text) ?? assert.fail(text)

describe('what a deposit is worth', () => {
  for (const [amount, rate, currency, exact, rounded] of [
    ['27.18', '0.92', 'EUR', '25.0056', '25.01'],
    ['13.59', '0.92', 'EUR', '12.5028', '12.50'],
    ['25', '1', 'USDT', '25', '25.00'],
    // Half a cent is rounded up, and what is less is not.
    ['0.005', '1', 'EUR', '0.005', '0.01'],
    ['0.004999999999999999', '1', 'EUR', '0.004999999999999999', '0.00'],
    ['0.000000000000000001', '0.000000000000000001', 'EUR', '0.000000000000000000000000000000000001', '0.00'],
    ['0.008475', '2950.10', 'EUR', '25.0020975', '25.00'],
    ['3', '1234.5', 'JPY', '3703.5', '3704'],
    ['3', '1.2345', 'KWD', '3.7035', '3.704'],
    ['100', '0.1', 'XYZ', '10', '10.00'],
    [
      '123456789012345678901234567890.123456789012345678',
      '1',
      'USD',
      '123456789012345678901234567890.123456789012345678',
      '123456789012345678901234567890.12',
    ],
  ] as const) {
    test(`${amount} coins at ${rate} ${currency}`, () => {
      const value = valueAt(atoms(amount), rate)
      assert.deepEqual([valueText(value), roundedValueText(value, currency)], [exact, rounded])
    })
  }

  test('is the same whether a payment comes at once or in parts', () => {
    const part = fc.bigInt({ min: 1n, max: 10n ** 30n })
    const rates = fc.bigInt({ min: 1n, max: 10n ** 24n }).map(formatAmount)
    fc.assert(
      fc.property(fc.array(part, { minLength: 1 }), rates, (parts, rate) => {
        const whole = parts.reduce((sum, one) => sum + one, 0n)
        const sum = parts.reduce((value, one) => value + valueAt(one, rate), 0n)
        assert.equal(valueText(sum), valueText(valueAt(whole, rate)))
      }),
    )
  })

  test('follows from the rate of its option: 1 in the currency of the price, and none where the shop fixed the amount', () => {
    const rate = { rate: '0.92', at: 1, spread: 100 }
    assert.equal(rateOfOption({ rate, isFixed: false }), '0.92')
    assert.equal(rateOfOption({ rate: null, isFixed: false }), '1')
    assert.equal(rateOfOption({ rate: null, isFixed: true }), null)
    const option = { invoiceId: 'a', rate, isFixed: false, decimals: 2, isVoidedByOrder: false }
    assert.equal(optionOf({ options: [option] }, 'a'), option)
    assert.equal(optionOf({ options: [option] }, 'b'), undefined)
  })
})
