import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { LANGUAGES } from '../../src/page/language.js'
import { percentText, priceText } from '../../src/page/price.js'

const inLocale = (locale: string, amount: string, currency: string) =>
  // The signs of currencies are set apart by spaces of several kinds, and marks of direction.
  priceText({ locale }, { amount, currency })
    .replace(/\s/g, ' ')
    .replace(/\p{Cf}/gu, '')

describe('a price', () => {
  const rows: readonly [locale: string, amount: string, currency: string, shown: string][] = [
    ['en', '25.00', 'EUR', '€25.00'],
    ['en', '25', 'EUR', '€25.00'],
    ['en', '1250.5', 'USD', '$1,250.50'],
    ['en', '1000', 'JPY', '¥1,000'],
    ['de', '1250.00', 'EUR', '1.250,00 €'],
    ['fr', '1250.00', 'EUR', '1 250,00 €'],
    ['ar-u-nu-latn', '25.00', 'EUR', '25.00 €'],
    ['en', '0.2511', 'EUR', '€0.2511'],
    ['en', '1000.125', 'JPY', '¥1,000.125'],
    ['en', '0.000000000000000001', 'EUR', '€0.000000000000000001'],
    ['en', '123456789012345678901234567890.12', 'EUR', '€123,456,789,012,345,678,901,234,567,890.12'],
    ['en', '25.00', 'XYZ', '25.00 XYZ'],
    ['de', '25.00', 'XYZ', '25.00 XYZ'],
    ['en', '25.00', 'USDT', '25.00 USDT'],
    ['en', '.5', 'XYZ', '0.5 XYZ'],
    ['en', '007', 'EUR', '€7.00'],
  ]
  for (const [locale, amount, currency, shown] of rows) {
    test(`of ${amount} ${currency} in ${locale} is ${shown}`, () =>
      assert.equal(inLocale(locale, amount, currency), shown))
  }

  test('has Latin digits in every language, as its page has', () => {
    for (const { locale, code } of LANGUAGES) assert.match(inLocale(locale, '25.00', 'EUR'), /25[.,]00/, code)
  })

  test('has its spread beside it', () => {
    assert.equal(percentText({ locale: 'en' }, 150), '1.5%')
    assert.equal(percentText({ locale: 'en' }, 1), '0.01%')
  })
})
