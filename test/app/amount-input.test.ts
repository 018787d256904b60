import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { type AmountFlaw, decimalSeparator, readAmount } from '../../packages/app/src/invoices/amount-input.js'

/** As typed, the decimal separator of the language, and what is read. */
const READ: readonly (readonly [typed: string, separator: string, amount: string])[] = [
  ['25', '.', '25'],
  ['25.00', '.', '25.00'],
  ['25,5', ',', '25.5'],
  ['25.5', ',', '25.5'],
  ['.5', '.', '0.5'],
  ['0,000001', ',', '0.000001'],
  ['007', '.', '7'],
  ['1,234.5', '.', '1234.5'],
  ['1.234,5', ',', '1234.5'],
  ['1.234,56', '.', '1234.56'],
  ['1,234,567', '.', '1234567'],
  ['1.234.567,8', ',', '1234567.8'],
  ['1 234,5', ',', '1234.5'],
  ['1\u202f234,5', ',', '1234.5'],
  ["1'234.5", '.', '1234.5'],
  ['1.234', '.', '1.234'],
  ['1,234', ',', '1.234'],
  ['0,234', '.', '0.234'],
  ['1234,567', '.', '1234.567'],
  ['١٢٫٥', '.', '12.5'],
  ['۱۲', '.', '12'],
  ['१२.५', '.', '12.5'],
  ['１２．５', '.', '12.5'],
]

const REFUSED: readonly (readonly [typed: string, separator: string, flaw: AmountFlaw])[] = [
  ['', '.', 'empty'],
  ['  ', '.', 'empty'],
  ['ten', '.', 'malformed'],
  ['1e3', '.', 'malformed'],
  ['-1', '.', 'malformed'],
  ['+1', '.', 'malformed'],
  ['1.', '.', 'malformed'],
  ['.', '.', 'malformed'],
  ['1..5', '.', 'malformed'],
  ['1.2.3', '.', 'malformed'],
  ['12,34.5', '.', 'malformed'],
  ['1,234.5,6', '.', 'malformed'],
  ['<b>1</b>', '.', 'malformed'],
  ['1\u202e5', '.', 'malformed'],
  // Either may be meant, and one of them is a thousand times the other.
  ['1,234', '.', 'ambiguous'],
  ['1.234', ',', 'ambiguous'],
  ['123.456', ',', 'ambiguous'],
  ['0', '.', 'zero'],
  ['0.000', '.', 'zero'],
  ['0.0000001', '.', 'too_precise'],
  ['9'.repeat(61), '.', 'too_long'],
]

describe('an amount as people type it', () => {
  for (const [typed, separator, amount] of READ) {
    test(`${JSON.stringify(typed)} where ${separator} is the separator is ${amount}`, () => {
      assert.deepEqual(readAmount(typed, separator, 6), { ok: true, amount })
    })
  }

  for (const [typed, separator, flaw] of REFUSED) {
    test(`${JSON.stringify(typed).slice(0, 30)} where ${separator} is the separator is refused: ${flaw}`, () => {
      assert.deepEqual(readAmount(typed, separator, 6), { ok: false, flaw })
    })
  }

  test('may have zeros behind the places of the coin', () => {
    assert.deepEqual(readAmount('1.50', '.', 1), { ok: true, amount: '1.50' })
    assert.deepEqual(readAmount('1.0', '.', 0), { ok: true, amount: '1.0' })
    assert.deepEqual(readAmount('1.5', '.', 0), { ok: false, flaw: 'too_precise' })
  })

  test('has the separator of the language', () => {
    assert.deepEqual(['en', 'de', 'pt-BR', 'ar-u-nu-latn'].map(decimalSeparator), ['.', ',', ',', '.'])
  })
})
