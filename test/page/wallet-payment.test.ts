import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { PageNetwork, PageToken } from '../../src/page/networks.js'
import { walletPayment } from '../../src/page/wallet-payment.js'
import { pageNetworks } from '../support/networks.js'

const TO = '0x52908400098527886E0F7030069857D2E4169EE7'
const TOKEN = '0x7169D38820dfd117C3FA1f22a697dBA58d90BA06'
const NILE_ADDRESS = 'TXYZopYRdj2D9XRtbG411XZZ3kM5VkAeBf'
const TRON_TOKEN = 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t'
const GENESIS = '00000000000000001ebf88508a03865c71d452e25f4d51194196a1d22b6653dc'
const networks = pageNetworks({
  SEP: { chainId: 11155111, token: TOKEN, tokenStandard: 'ERC20' },
  BNB: { chainId: 56, token: TOKEN },
  'TRX-NILE': { genesis: GENESIS, walletNodes: ['https://nodes.example'], token: TRON_TOKEN, tokenStandard: 'TRC20' },
})
const SEP = networks('SEP')
const NILE = networks('TRX-NILE')

/** The network with a change of its token USDT. */
function usdtOf(network: PageNetwork, change: Partial<PageToken>): PageNetwork {
  return { ...network, tokens: network.tokens.map((one) => (one.currency === 'USDT' ? { ...one, ...change } : one)) }
}

describe('what a browser wallet is asked for', () => {
  test('is the transfer of the token, in its own unit', () => {
    assert.deepEqual(walletPayment('USDT', SEP, TO, '25.00'), {
      kind: 'evm',
      chainId: '0xaa36a7',
      to: TOKEN,
      value: '0x0',
      data: `0xa9059cbb${TO.slice(2).toLowerCase().padStart(64, '0')}${(25_000_000).toString(16).padStart(64, '0')}`,
      token: TOKEN,
      raw: '25000000',
      decimals: 6,
      amount: '25.00',
      coin: 'USDT',
      feeCoin: 'ETH',
      network: 'Ethereum Sepolia',
    })
    assert.equal(walletPayment('USDT', networks('BNB'), TO, '0.5')?.raw, '500000000000000000')
  })

  test('is the coin itself, in wei', () => {
    const wei = 15n * 10n ** 15n
    const named = { amount: '0.015', coin: 'ETH', feeCoin: 'ETH', network: 'Ethereum Sepolia' }
    const transaction = { kind: 'evm', chainId: '0xaa36a7', to: TO, value: `0x${wei.toString(16)}`, data: '0x' }
    const expected = { ...transaction, token: null, raw: String(wei), decimals: 18, ...named }
    assert.deepEqual(walletPayment('native', SEP, TO, '0.015'), expected)
  })

  test('is what a wallet of TRON builds it of, where its nodes may be asked', () => {
    const expected = {
      kind: 'tron',
      genesis: GENESIS,
      chainId: '0x2b6653dc',
      to: NILE_ADDRESS,
      token: TRON_TOKEN,
      raw: '25000000',
      decimals: 6,
      amount: '25',
      coin: 'USDT',
      feeCoin: 'TRX',
      network: 'TRON Nile',
    }
    assert.deepEqual(walletPayment('USDT', NILE, NILE_ADDRESS, '25'), expected)
    const coin = { token: null, raw: '1500000', amount: '1.5', coin: 'TRX', network: 'TRON Nile' }
    assert.deepEqual(walletPayment('native', NILE, NILE_ADDRESS, '1.5'), { ...expected, ...coin })
  })

  const none: readonly [string, Parameters<typeof walletPayment>][] = [
    ['the chain is not known', ['native', { ...SEP, chainId: null }, TO, '1']],
    ['the contract is not known', ['USDT', usdtOf(SEP, { contract: null }), TO, '1']],
    ['no node of TRON may be asked', ['native', { ...NILE, walletNodes: [] }, NILE_ADDRESS, '1']],
    ['the first block of TRON is not known', ['native', { ...NILE, genesis: null }, NILE_ADDRESS, '1']],
    ['a number cannot hold the sun', ['native', NILE, NILE_ADDRESS, '9007199255']],
    ['the coin cannot carry it', ['USDT', SEP, TO, '0.0000001']],
    ['no contract can hold it', ['USDT', usdtOf(SEP, { decimals: 18 }), TO, '9'.repeat(60)]],
  ]
  for (const [why, args] of none) {
    test(`is nothing when ${why}`, () => assert.equal(walletPayment(...args), null))
  }
})
