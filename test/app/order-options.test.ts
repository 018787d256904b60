import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { optionsFor, priceUnits, symbolOf, waysToPay } from '../../packages/app/src/orders/order-options.js'
import { coinName, currenciesOn, placesOf } from '../../packages/app/src/wallets/coins.js'
import type { KnownWallet } from '../../packages/app/src/wallets/known-wallets.js'

function network(id: string, symbol: string, ...tokens: readonly string[]) {
  const list = tokens.map((token, index) => ({ symbol: token, contract: null, decimals: 6 * (index + 1) }))
  return { id, name: id, symbol, token: null, decimals: 6, tokens: list, claim: 'a/b', testnet: true }
}

const SEP = network('SEP', 'ETH', 'USDT', 'USDC')
const TRX = network('TRX', 'TRX', 'USDT')
const INFO = { networks: [SEP, TRX] }
const RATES = { EUR: { USDT: '0.92', ETH: '2950.10' }, USD: { TRX: '0.25' } }

function wallet(id: string, on: string): KnownWallet {
  return { id, network: on, first: `0x${id}`, address: `0x${id}`, since: 1 }
}

const named = (unit: string) => waysToPay(INFO, RATES, unit).map((way) => `${symbolOf(way)} on ${way.network.id}`)

describe('the ways to pay a price', () => {
  test('are the coins with a rate, on every network', () => {
    assert.deepEqual(named('EUR'), ['USDT on SEP', 'ETH on SEP', 'USDT on TRX'])
    assert.deepEqual(named('USD'), ['TRX on TRX'])
  })

  test('are a coin itself, where the price is in it', () => {
    assert.deepEqual(named('USDC'), ['USDC on SEP'])
    assert.deepEqual(named('USDT'), ['USDT on SEP', 'USDT on TRX'])
    assert.deepEqual(named('ETH'), ['ETH on SEP'])
  })

  test('are none for a unit that nobody knows, whatever it is called', () => {
    assert.deepEqual([named('GBP'), named('toString'), named('__proto__')], [[], [], []])
  })

  test('are offered with one wallet for each network, and not where there is none', () => {
    const ways = waysToPay(INFO, RATES, 'EUR')
    assert.deepEqual(optionsFor(ways, [wallet('a', 'SEP'), wallet('t', 'TRX')], []), [
      { walletIds: ['a'], currency: 'USDT' },
      { walletIds: ['a'], currency: 'native' },
      { walletIds: ['t'], currency: 'USDT' },
    ])
    assert.deepEqual(optionsFor(ways, [wallet('t', 'TRX')], []), [{ walletIds: ['t'], currency: 'USDT' }])
  })

  test('take the wallet that no open invoice uses', () => {
    const open = [{ wallet_id: 'a', wallet_ids: 'a', created_at: 1 }]
    const [option] = optionsFor(waysToPay(INFO, RATES, 'EUR'), [wallet('a', 'SEP'), wallet('b', 'SEP')], open)
    assert.deepEqual(option?.walletIds, ['b'])
  })

  test('are ten at most', () => {
    const many = { networks: Array.from({ length: 12 }, (_, index) => network(`N${index}`, 'COIN', 'USDT')) }
    const wallets = many.networks.map(({ id }) => wallet(id, id))
    assert.equal(optionsFor(waysToPay(many, RATES, 'EUR'), wallets, []).length, 10)
  })

  test('a price can be in currencies with rates, and in coins', () => {
    assert.deepEqual(priceUnits(INFO, RATES), ['EUR', 'USD', 'USDT', 'USDC', 'ETH', 'TRX'])
    assert.deepEqual(priceUnits(INFO, {}), ['USDT', 'USDC', 'ETH', 'TRX'])
  })
})

describe('a currency', () => {
  test('can be asked for where all networks have it', () => {
    assert.deepEqual(currenciesOn([SEP]), ['USDT', 'USDC', 'native'])
    assert.deepEqual(currenciesOn([SEP, TRX]), ['USDT'])
    assert.deepEqual(currenciesOn([]), [])
  })

  test('has the name and the places of its networks', () => {
    assert.deepEqual(
      [coinName('native', [SEP, TRX]), coinName('USDT', [SEP]), coinName('native', [])],
      ['ETH/TRX', 'USDT', 'native'],
    )
    assert.deepEqual([placesOf('USDC', [SEP]), placesOf('USDT', [SEP, TRX]), placesOf('native', [SEP])], [12, 6, 6])
  })
})
