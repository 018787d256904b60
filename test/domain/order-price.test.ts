import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { INVOICE_WALLETS_MAX } from '../../src/domain/invoice.js'
import { Networks } from '../../src/domain/network.js'
import { ORDER_OPTIONS_MAX } from '../../src/domain/order.js'
import { coinOfOption } from '../../src/domain/order-coin.js'
import {
  placesOf,
  quoteOption,
  RAISE_LOOKS_MAX,
  RAISE_STEPS_MAX,
  type Rates,
  raisedAmounts,
  raiseSteps,
} from '../../src/domain/order-price.js'
import { refusalOf, unwrap } from '../support/fixtures.js'
import { PRICE_DECIMALS } from '../support/orders.js'

const ratesOf = (rate: string | null, spread = 0): Rates => ({
  rateFor: () => (rate === null ? null : { rate, at: 7, spread }),
})

interface Case {
  readonly price?: string
  readonly in?: string
  readonly rate?: string | null
  readonly spread?: number
  readonly currency?: 'native' | 'USDT'
  readonly decimals?: number
  readonly fixed?: string
}

/** 25.00 EUR in USDT of 6 decimals, unless it says otherwise. */
function quoted(given: Case) {
  const { price = '25.00', rate = '0.92', spread = 0, currency = 'USDT', decimals = 6, fixed = null } = given
  const coin = { symbol: currency === 'USDT' ? 'USDT' : 'ETH', decimals }
  const option = { currency, fixedAmount: fixed }
  return quoteOption(
    { amount: price, currency: given.in ?? 'EUR' },
    option,
    coin,
    ratesOf(rate, spread),
    PRICE_DECIMALS,
    1,
  )
}

describe('the amount of an option', () => {
  const ether = { currency: 'native', decimals: 18 } as const
  const rows: readonly (readonly [string, Case, string])[] = [
    ['is the price divided by the rate, rounded up to two places for a token', {}, '27.18'],
    ['is not rounded where it fits', { price: '9.20' }, '10.00'],
    ['is rounded up by the least that is beyond it', { price: '9.200000000000000001' }, '10.01'],
    ['is rounded up to six places for a coin', { ...ether, rate: '2950.10' }, '0.008475'],
    ['has as many places as make it four significant digits', { ...ether, rate: '60000', price: '1' }, '0.00001667'],
    ['of a token has them, too', { price: '1.00' }, '1.087'],
    ['has no more places than the coin', { currency: 'native', decimals: 6, rate: '60000000', price: '1' }, '0.000001'],
    ['of a token without places is a whole number', { decimals: 0 }, '28'],
    ['has the spread on top', { spread: 150 }, '27.59'],
    ['has the rate 1 in the currency of the price, and no spread', { in: 'USDT', rate: '0.5', spread: 150 }, '25.00'],
    ['is what the shop has fixed', { fixed: '30.5', rate: null }, '30.5'],
    [
      'follows from a rate that is far away',
      { ...ether, rate: '0.000000000000000001', price: '1' },
      '1000000000000000000.000000',
    ],
  ]
  for (const [name, given, amount] of rows) {
    test(name, () => assert.equal(unwrap(quoted(given)).amountText, amount))
  }

  test('keeps the rate that it follows from', () => {
    assert.deepEqual(unwrap(quoted({ spread: 5 })).rate, { rate: '0.92', at: 7, spread: 5 })
    assert.equal(unwrap(quoted({ in: 'USDT' })).rate, null)
    assert.deepEqual([unwrap(quoted({ fixed: '3' })).rate, unwrap(quoted({ fixed: '3' })).isFixed], [null, true])
  })

  test('is none without a rate, and never 1 : 1', () => {
    const refused = quoted({ rate: null })
    assert.equal(refusalOf(refused), 'rate_unavailable')
    assert.deepEqual(!refused.ok && refused.failure.details, { coin: 'USDT' })
  })

  test('asks for rests at the places of a fixed amount, but for no finer ones than the coin has', () => {
    for (const [fixed, decimals] of [
      ['3', 2],
      ['3.000', 2],
      ['3.0001', 4],
      ['3.00000001', 6],
    ] as const) {
      assert.equal(unwrap(quoted({ fixed })).decimals, decimals, fixed)
    }
    assert.deepEqual(['1', '1.', '.50', '0.0001000'].map(placesOf), [0, 0, 1, 4])
  })
})

describe('an amount that is not free', () => {
  const textsOf = (given: Case, steps = RAISE_STEPS_MAX) =>
    [...raisedAmounts(unwrap(quoted(given)), steps)].map(({ amountText }) => amountText)

  test('is raised by its last digit, by half a percent at most', () => {
    const texts = textsOf({})
    assert.deepEqual([texts[0], texts[1], texts.at(-1), texts.length], ['27.19', '27.20', '27.31', 13])
  })

  test('is raised no more often than is bearable', () => {
    assert.deepEqual(textsOf({}, 2), ['27.19', '27.20'])
    assert.deepEqual(textsOf({}, 0), [])
    assert.equal(textsOf({ price: '1000000' }).length, RAISE_STEPS_MAX)
  })

  test('is raised fewer times on many wallets, of which each is looked at with every step', () => {
    for (const [wallets, steps] of [
      [0, 0],
      [1, RAISE_STEPS_MAX],
      [4, RAISE_STEPS_MAX],
      [5, RAISE_LOOKS_MAX / 5],
      [30, 133],
      // As many as an order may have.
      [ORDER_OPTIONS_MAX * INVOICE_WALLETS_MAX, 8],
    ] as const) {
      assert.equal(raiseSteps(wallets), steps, `${wallets}`)
      assert.ok(wallets * steps <= RAISE_LOOKS_MAX)
    }
  })

  test('is not raised where the last digit is more than half a percent', () => {
    assert.deepEqual(textsOf({ decimals: 0 }), [])
  })
})

describe('the coin of an option', () => {
  const network = (id: string, symbol: string, decimals: number) => ({
    id,
    kind: 'evm' as const,
    name: id,
    symbol,
    tokens: [
      { currency: 'USDT', symbol: 'USDT', decimals, isRetired: false },
      { currency: 'USDC', symbol: id === 'BASE' ? 'USDbC' : 'USDC', decimals, isRetired: false },
    ],
    isTest: false,
    isRetired: false,
  })
  const networks = new Networks([network('SEP', 'ETH', 6), network('BASE', 'ETH', 6), network('BNB', 'BNB', 18)])
  const wallets = new Map(
    ['SEP', 'BASE', 'BNB'].map((id) => [id, { owner: 'alice', network: id as string | null }] as const),
  )
  wallets.set('none', { owner: 'alice', network: null })
  const coin = (walletIds: readonly string[], currency: string, owner = 'alice') =>
    coinOfOption(networks, owner, { walletIds, currency }, wallets)

  test('is that of all its networks, with the fewest places', () => {
    assert.deepEqual(unwrap(coin(['SEP', 'BASE'], 'native')), { symbol: 'ETH', decimals: 18 })
    assert.deepEqual(unwrap(coin(['BNB', 'SEP'], 'USDT')), { symbol: 'USDT', decimals: 6 })
  })

  test('is none where they differ, or where a wallet is not the owner’s', () => {
    assert.equal(refusalOf(coin(['SEP', 'BNB'], 'native')), 'mixed_native_coins')
    assert.equal(refusalOf(coin(['SEP', 'BASE'], 'USDC')), 'rate_unavailable')
    assert.equal(refusalOf(coin(['SEP'], 'DAI')), 'rate_unavailable')
    for (const refused of [coin(['SEP'], 'native', 'bob'), coin(['other'], 'USDT'), coin(['none'], 'USDT')]) {
      assert.equal(refusalOf(refused), 'wallet_not_owned')
    }
  })
})
