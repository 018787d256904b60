import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { parseRate, RATE_NAMES_MAX, type RateRefusalReason, readRateSet } from '../../src/domain/rate-set.js'

const AT = 1_700_000_000_000

function textOf(rates: unknown, at: unknown = AT): string {
  return JSON.stringify({ at, rates })
}

function many(count: number, value: (n: number) => unknown): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Array.from({ length: count }, (_, n) => [`C${n}`, value(n)]))
}

describe('a rate', () => {
  const RATES: readonly (readonly [text: string, units: bigint | null])[] = [
    ['0.92', 920_000_000_000_000_000n],
    ['2950.10', 2_950_100_000_000_000_000_000n],
    ['1', 10n ** 18n],
    ['007', 7n * 10n ** 18n],
    ['0.000000000000000001', 1n],
    ['999999999999999999.999999999999999999', 10n ** 36n - 1n],
    ['1000000000000000000', null],
    ['0.0000000000000000001', null],
    ['0', null],
    ['0.000', null],
    ['', null],
    ['.5', null],
    ['5.', null],
    ['-1', null],
    ['+1', null],
    ['1e400', null],
    ['1E2', null],
    ['0x10', null],
    ['1,5', null],
    ['1_000', null],
    [' 1', null],
    ['1\n', null],
    ['٣', null],
    ['NaN', null],
    ['Infinity', null],
  ]
  for (const [text, units] of RATES) {
    test(`${JSON.stringify(text)} is ${units === null ? 'none' : `${units} parts of 10⁻¹⁸`}`, () => {
      assert.equal(parseRate(text), units)
    })
  }
})

describe('a set of rates', () => {
  test('is read with its rates as they were sent, in the order of their names', () => {
    const text = `{"source": {"name": "x"}, "rates": {"USD": {"USDT": "1.000"}, "EUR": {"TRX": "0.2511", "ETH": "2950.10"}}, "at": ${AT}}`
    assert.deepEqual(readRateSet(text), {
      ok: true,
      set: {
        at: AT,
        rates: [
          { currency: 'EUR', coin: 'ETH', rate: '2950.10' },
          { currency: 'EUR', coin: 'TRX', rate: '0.2511' },
          { currency: 'USD', coin: 'USDT', rate: '1.000' },
        ],
      },
    })
  })

  test('takes the symbols that networks may have, and prices in coins', () => {
    const read = readRateSet(textOf({ USDT: { xDAI: '1', 'USDC.e': '1' }, EUR: { ETH: '2' } }))
    assert.ok(read.ok)
    assert.deepEqual(
      read.set.rates.map(({ currency, coin }) => `${currency} ${coin}`),
      ['EUR ETH', 'USDT USDC.e', 'USDT xDAI'],
    )
  })

  const good = { EUR: { USDT: '0.92' } }
  const BAD: readonly (readonly [what: string, text: string, reason: RateRefusalReason, detail: RegExp])[] = [
    ['nothing', '', 'not_json', /part of it/],
    ['a page', '<!doctype html><html></html>', 'not_json', /not JSON/],
    ['half of a set', textOf(good).slice(0, -5), 'not_json', /part/],
    ['a byte order mark', `\uFEFF${textOf(good)}`, 'not_json', /not JSON/],
    ['null', 'null', 'not_a_set', /not an object/],
    ['a list', '[]', 'not_a_set', /not an object/],
    ['text', '"rates"', 'not_a_set', /not an object/],
    ['an error in JSON', '{"error": "too many requests"}', 'not_a_set', /"at"/],
    ['no date', JSON.stringify({ rates: good }), 'not_a_set', /"at"/],
    ['a date as text', textOf(good, '2023-11-14'), 'not_a_set', /"at"/],
    ['a date with a fraction', textOf(good, AT + 0.5), 'not_a_set', /"at"/],
    ['a date of 0', textOf(good, 0), 'not_a_set', /"at"/],
    ['a negative date', textOf(good, -AT), 'not_a_set', /"at"/],
    ['a date that no calendar has', textOf(good, 9e15), 'not_a_set', /"at"/],
    ['an endless date', `{"at": 1e400, "rates": {"EUR": {"USDT": "1"}}}`, 'not_a_set', /"at"/],
    ['no rates', JSON.stringify({ at: AT }), 'not_a_set', /"rates"/],
    ['rates in a list', textOf([good]), 'not_a_set', /"rates"/],
    ['no currency', textOf({}), 'not_a_set', /no rates/],
    ['no coin', textOf({ EUR: {} }), 'bad_value', /no rate in EUR/],
    ['one currency without coins', textOf({ ...good, USD: {} }), 'bad_value', /no rate in USD/],
    ['null for coins', textOf({ EUR: null }), 'bad_value', /in EUR are not/],
    ['coins in a list', textOf({ EUR: ['0.92'] }), 'bad_value', /in EUR are not/],
    ['a currency in small letters', textOf({ eur: { USDT: '1' } }), 'bad_value', /"eur" is not the name/],
    ['a currency of one letter', textOf({ E: { USDT: '1' } }), 'bad_value', /"E" is not/],
    ['a coin with a space', textOf({ EUR: { 'US DT': '1' } }), 'bad_value', /"US DT" is not the symbol/],
    ['a coin without a name', textOf({ EUR: { '': '1' } }), 'bad_value', /"" is not the symbol/],
    ['a number', textOf({ EUR: { USDT: 0.92 } }), 'bad_value', /USDT in EUR is not a string/],
    ['zero', textOf({ EUR: { USDT: '0' } }), 'bad_value', /USDT in EUR is "0"/],
    ['less than zero', textOf({ EUR: { USDT: '-0.92' } }), 'bad_value', /"-0.92"/],
    ['1e400', textOf({ EUR: { USDT: '1e400' } }), 'bad_value', /"1e400"/],
    ['a long text', textOf({ EUR: { USDT: '9'.repeat(1000) } }), 'bad_value', /"9{40}…"/],
    ['one bad rate of many', textOf({ EUR: { A: '1', B: '2', C: '3', D: 'x' } }), 'bad_value', /D in EUR/],
    ['__proto__ as a currency', `{"at": ${AT}, "rates": {"__proto__": {"USDT": "1"}}}`, 'bad_value', /"__proto__"/],
    ['__proto__ as a coin', `{"at": ${AT}, "rates": {"EUR": {"__proto__": "1"}}}`, 'bad_value', /"__proto__"/],
    ['a currency twice', `{"at": ${AT}, "rates": {"EUR": {"A": "1"}, "EUR": {"A": "2"}}}`, 'not_a_set', /twice/],
    ['a coin twice', `{"at": ${AT}, "rates": {"EUR": {"USDT": "1", "USDT": "1"}}}`, 'not_a_set', /twice/],
    [
      'a coin twice, once spelt by code',
      `{"at": ${AT}, "rates": {"EUR": {"A": "1", "\\u0041": "2"}}}`,
      'not_a_set',
      /twice/,
    ],
    ['a date twice', `{"at": ${AT}, "at" : 5, "rates": {"EUR": {"USDT": "1"}}}`, 'not_a_set', /twice/],
    [
      'too many currencies',
      textOf(many(RATE_NAMES_MAX + 1, () => ({ A: '1' }))),
      'not_a_set',
      /more than 200 currencies/,
    ],
    [
      'too many coins',
      textOf({ EUR: many(RATE_NAMES_MAX + 1, () => '1') }),
      'not_a_set',
      /EUR has more than 200 coins/,
    ],
    ['too many rates', textOf(many(11, () => many(RATE_NAMES_MAX, () => '1'))), 'not_a_set', /more than 2000 rates/],
    ['a deep nest', `{"at": ${'['.repeat(300_000)}${']'.repeat(300_000)}}`, 'not_a_set', /"at"/],
  ]
  for (const [what, text, reason, detail] of BAD) {
    test(`with ${what} is none, the good rates in it included`, () => {
      const read = readRateSet(text)
      assert.ok(!read.ok, 'it was read')
      assert.equal(read.refusal.reason, reason)
      assert.match(read.refusal.detail, detail)
      assert.ok(read.refusal.detail.length < 300)
    })
  }

  test('may quote and nest in fields that are ignored', () => {
    const text = `{"note": "\\"EUR\\": \\\\", "list": [{"a": "b:"}, ":"], "at": ${AT}, "rates": {"EUR": {"USDT" : "1"}}}`
    assert.ok(readRateSet(text).ok)
  })

  test('may have as many currencies and coins as the bounds say', () => {
    assert.ok(readRateSet(textOf(many(10, () => many(RATE_NAMES_MAX, () => '1')))).ok)
  })
})
