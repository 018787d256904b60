import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { amountOf, BillhookError, type ServiceInfo, walletIdsOf } from '@billhook/client'

const ORDINARY = { name: '', token: null, claim: '', testnet: false }
const usdt = (decimals: number) => ({ symbol: 'USDT', contract: null, decimals })
const usdc = (decimals: number) => ({ symbol: 'USDC', contract: null, decimals })
const info: Pick<ServiceInfo, 'networks'> = {
  networks: [
    { ...ORDINARY, id: 'ETH', symbol: 'ETH', decimals: 6, tokens: [usdt(6), usdc(6)] },
    { ...ORDINARY, id: 'BNB', symbol: 'BNB', decimals: 18, tokens: [usdt(18), usdc(18)] },
    { ...ORDINARY, id: 'WHOLE', symbol: 'W', decimals: 0, tokens: [usdt(0)] },
  ],
}

describe('amountOf', () => {
  const cases: readonly [network: string, amount: string, currency: string | null, text: string][] = [
    ['ETH', '25000000', 'Tether', '25 USDT'],
    ['ETH', '25000001', 'Tether', '25.000001 USDT'],
    ['ETH', '1', 'Tether', '0.000001 USDT'],
    ['ETH', '0', 'Tether', '0 USDT'],
    ['ETH', '0025000000', 'Tether', '25 USDT'],
    ['BNB', '25000000', 'Tether', '0.000000000025 USDT'],
    ['BNB', '25000000000000000000', 'Tether', '25 USDT'],
    ['BNB', '9007199254740993000000000000000001', 'Tether', '9007199254740993.000000000000000001 USDT'],
    ['WHOLE', '25', 'Tether', '25 USDT'],
    ['ETH', '25000000', 'USDC', '25 USDC'],
    ['BNB', '25000000000000000001', 'USDC', '25.000000000000000001 USDC'],
    ['ETH', '0.50', '#native', '0.5 ETH'],
    ['BNB', '100', null, '100 BNB'],
    ['BNB', '.5', '', '0.5 BNB'],
    ['BNB', '010.0', '#native', '10 BNB'],
  ]
  for (const [network, amount, currency, text] of cases) {
    test(`reads ${amount} of ${currency} on ${network} as ${text}`, () => {
      const read = amountOf({ network, amount, currency }, info)
      const [value, symbol] = text.split(' ')
      assert.deepEqual(read, {
        value,
        currency: ['Tether', 'USDC'].includes(currency ?? '') ? symbol : 'native',
        symbol,
        text,
      })
    })
  }

  const unknown: readonly [what: string, network: string, amount: string | null, currency: string | null][] = [
    ['a network that is not listed', 'SOL', '25000000', 'Tether'],
    ['a currency that no invoice is paid in', 'ETH', '25000000', 'DAI'],
    ['a token that the network does not have', 'WHOLE', '1', 'USDC'],
    ['the symbol of USDT, which is no label', 'ETH', '1', 'USDT'],
    ['a fraction of whole units', 'ETH', '25.5', 'Tether'],
    ['no amount of a token', 'ETH', null, 'Tether'],
    ['no amount of a coin', 'ETH', null, null],
    ['a coin in another form', 'ETH', '1e3', '#native'],
  ]
  for (const [what, network, amount, currency] of unknown) {
    test(`guesses nothing for ${what}`, () => {
      const isUnknown = (error: unknown) => error instanceof BillhookError && error.code === 'amount_unknown'
      assert.throws(() => amountOf({ network, amount, currency }, info), isUnknown)
    })
  }
})

test('a service of before there were several tokens tells of USDT', () => {
  const before = { networks: info.networks.map(({ tokens: _, ...network }) => network) }
  const read = (currency: string) =>
    amountOf({ network: 'BNB', amount: '1000000000000000000', currency }, before as unknown as typeof info)
  assert.equal(read('Tether').text, '1 USDT')
  assert.throws(() => read('USDC'), BillhookError)
})

describe('walletIdsOf', () => {
  test('splits the list, and takes the first wallet where there is none', () => {
    assert.deepEqual(walletIdsOf({ wallet_id: 'a', wallet_ids: 'a,b' }), ['a', 'b'])
    for (const wallet_ids of [null, '']) assert.deepEqual(walletIdsOf({ wallet_id: 'a', wallet_ids }), ['a'])
  })
})
