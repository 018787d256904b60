import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import {
  currencyOfLabel,
  formatAmount,
  isCurrency,
  labelOf,
  parseInvoiceAmount,
  parseNativeDepositAmount,
  parseTokenDepositAmount,
  rawTokenAmount,
} from '../../src/domain/amount.js'

const ONE = 10n ** 18n

describe('an invoice amount (decisions 4)', () => {
  const accepted: readonly (readonly [string, bigint])[] = [
    ['1', ONE],
    ['100', 100n * ONE],
    ['100.00', 100n * ONE],
    ['0100', 100n * ONE],
    ['.5', ONE / 2n],
    ['0.5', ONE / 2n],
    ['0.000000000000000001', 1n],
    ['1.123456789012345678', 1_123456789012345678n],
    ['1.123456789012345678000', 1_123456789012345678n],
    [`1.5${'0'.repeat(97)}`, ONE + ONE / 2n],
    ['9'.repeat(60), BigInt('9'.repeat(60)) * ONE],
    [`${'9'.repeat(60)}.${'9'.repeat(18)}`, BigInt('9'.repeat(78))],
  ]
  for (const [text, atoms] of accepted) {
    test(`'${text.slice(0, 40)}' (${text.length} characters) is ${atoms} atoms`, () => {
      assert.equal(parseInvoiceAmount(text), atoms)
    })
  }

  const refused: readonly (readonly [string, string])[] = [
    ['an exponent', '1e3'],
    ['hex', '0x10'],
    ['octal', '0o7'],
    ['a minus', '-1'],
    ['a plus', '+1'],
    ['zero', '0'],
    ['zero with a fraction', '0.0'],
    ['zero with a point in front', '.0'],
    ['zero with many digits', '0.0000000000000000000000'],
    ['nothing after the point', '5.'],
    ['a point alone', '.'],
    ['more than 100 characters, were it only zeros', `1.5${'0'.repeat(98)}`],
    ['nothing', ''],
    ['a space in front', ' 1'],
    ['a space behind', '1 '],
    ['a line feed behind', '1\n'],
    ['a line feed in front', '\n1'],
    ['a NUL', '1\0'],
    ['two points', '1.2.3'],
    ['two points together', '1..2'],
    ['a decimal comma', '1,5'],
    ['thousands separators', '1,000'],
    ['an underscore', '1_000'],
    ['19 significant decimals', '0.0000000000000000001'],
    ['19 significant decimals behind a number', '1.1234567890123456789'],
    ['61 integer digits', '1'.repeat(61)],
    ['80 digits', '1'.repeat(80)],
    ['NaN', 'NaN'],
    ['Infinity', 'Infinity'],
    ['a bigint literal', '1n'],
    ['full-width digits', '１２'],
    ['Arabic-Indic digits', '١٢'],
    ['a Devanagari digit behind an ASCII one', '1२'],
    ['a superscript', '1²'],
    ['a no-break space', '1\u00a0'],
    ['a zero-width space', '\u200b1'],
    ['a minus sign that is not ASCII', '−1'],
  ]
  for (const [what, text] of refused) {
    test(`${what} is refused`, () => {
      assert.equal(parseInvoiceAmount(text), null)
    })
  }
})

describe('the amount of an observed deposit (decisions 5)', () => {
  test('of a token is a raw integer whose decimal point is placed', () => {
    assert.equal(parseTokenDepositAmount('100000000', 6), 100n * ONE)
    assert.equal(parseTokenDepositAmount('1', 6), 10n ** 12n)
    assert.equal(parseTokenDepositAmount('1', 18), 1n)
    assert.equal(parseTokenDepositAmount('7', 0), 7n * ONE)
    assert.equal(parseTokenDepositAmount((2n ** 256n - 1n).toString(), 6), (2n ** 256n - 1n) * 10n ** 12n)
  })

  for (const text of [
    '',
    '0',
    '000',
    '1.5',
    '1.0',
    '-1',
    '+1',
    '1e6',
    '0x10',
    ' 1',
    '1 ',
    '1\n',
    '１',
    '1'.repeat(79),
  ]) {
    test(`of a token is not '${text.slice(0, 20)}'`, () => {
      assert.equal(parseTokenDepositAmount(text, 6), null)
    })
  }

  test('of a native coin is used as given', () => {
    assert.equal(parseNativeDepositAmount('0.05'), ONE / 20n)
    assert.equal(parseNativeDepositAmount('1000000000000000000'), 10n ** 36n)
    assert.equal(parseNativeDepositAmount('1'.repeat(78)), BigInt('1'.repeat(78)) * ONE)
  })

  for (const text of ['', '0', '0.0', '-0.1', '1e18', '0.0000000000000000001', '1'.repeat(79), '1 ']) {
    test(`of a native coin is not '${text.slice(0, 20)}'`, () => {
      assert.equal(parseNativeDepositAmount(text), null)
    })
  }
})

describe('an amount as text', () => {
  const rows: readonly (readonly [bigint, string])[] = [
    [0n, '0'],
    [1n, '0.000000000000000001'],
    [ONE, '1'],
    [ONE + ONE / 2n, '1.5'],
    [100n * ONE, '100'],
    [ONE / 100n, '0.01'],
    [10n ** 78n, `1${'0'.repeat(60)}`],
  ]
  for (const [atoms, text] of rows) {
    test(`${atoms} atoms are ${text}`, () => {
      assert.equal(formatAmount(atoms), text)
    })
  }

  test('says exactly what was parsed, whatever the amount', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 1n, max: 10n ** 78n - 1n }), (atoms) => {
        const text = formatAmount(atoms)
        assert.equal(parseInvoiceAmount(text), atoms)
        assert.doesNotMatch(text, /^0\d|\.$|\.\d*0$/)
      }),
    )
  })
})

describe('the raw integer of a token amount', () => {
  test('is exact or is none', () => {
    assert.equal(rawTokenAmount(100n * ONE, 6), '100000000')
    assert.equal(rawTokenAmount(10n ** 12n, 6), '1')
    assert.equal(rawTokenAmount(10n ** 12n - 1n, 6), null)
    assert.equal(rawTokenAmount(1n, 18), '1')
    assert.equal(rawTokenAmount(ONE / 2n, 0), null)
  })

  test('comes back as the amount', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 1n, max: 10n ** 40n }), fc.integer({ min: 0, max: 18 }), (raw, decimals) => {
        const atoms = raw * 10n ** BigInt(18 - decimals)
        assert.equal(parseTokenDepositAmount(rawTokenAmount(atoms, decimals) ?? '', decimals), atoms)
      }),
    )
  })
})

describe("a deposit's currency label (specification, Currency normalisation)", () => {
  test('stands for an invoice currency', () => {
    assert.equal(currencyOfLabel('Tether'), 'USDT')
    assert.equal(currencyOfLabel('#native'), 'native')
    assert.equal(currencyOfLabel(null), 'native')
    assert.equal(currencyOfLabel(''), 'native')
  })

  test('is the symbol of every other token', () => {
    for (const symbol of ['USDC', 'USDT0', 'TETHER', '1INCH', 'A1', 'ABCDEFGHIJ12']) {
      assert.equal(currencyOfLabel(symbol), symbol)
      assert.equal(labelOf(symbol), symbol)
    }
    assert.deepEqual(['native', 'USDT'].map(labelOf), ['#native', 'Tether'])
  })

  for (const label of [
    'tether',
    'USDT',
    'NATIVE',
    'usdc',
    'A',
    'ABCDEFGHIJKLM',
    'USDC\n',
    'USD-C',
    'native',
    '#Native',
    ' ',
    'Tether ',
    'null',
    'constructor',
    '__proto__',
  ]) {
    test(`'${label}' matches nothing`, () => {
      assert.equal(currencyOfLabel(label), null)
    })
  }
})

test('an invoice currency is native or the symbol of a token, exactly', () => {
  assert.deepEqual(
    ['native', 'USDT', 'USDC', 'usdt', 'Native', 'NATIVE', 'Tether', '#native', '', ' native', 'X'].filter(isCurrency),
    ['native', 'USDT', 'USDC'],
  )
})
