import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { walletPayment } from '../../src/page/wallet-payment.js'
import { pageNetworks } from '../support/networks.js'

const TO = '0x52908400098527886E0F7030069857D2E4169EE7'
const TOKEN = '0x7169D38820dfd117C3FA1f22a697dBA58d90BA06'
const networks = pageNetworks({
  SEP: { chainId: 11155111, token: TOKEN, tokenStandard: 'ERC20' },
  BNB: { chainId: 56, token: TOKEN },
})
const SEP = networks('SEP')

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
      network: 'Ethereum Sepolia (ERC20)',
    })
    assert.equal(walletPayment('USDT', networks('BNB'), TO, '0.5')?.raw, '500000000000000000')
  })

  test('is the coin itself, in wei', () => {
    const { to, value, data, token, raw, network } = walletPayment('native', SEP, TO, '0.015') ?? assert.fail()
    assert.deepEqual([to, value, data, token], [TO, `0x${(15n * 10n ** 15n).toString(16)}`, '0x', null])
    assert.deepEqual([raw, network], [String(15n * 10n ** 15n), 'Ethereum Sepolia'])
  })

  const none: readonly [string, Parameters<typeof walletPayment>][] = [
    ['the chain is not known', ['native', { ...SEP, chainId: null }, TO, '1']],
    ['the contract is not known', ['USDT', { ...SEP, token: null }, TO, '1']],
    ['the network is of another kind', ['native', networks('TRX-NILE'), TO, '1']],
    ['the coin cannot carry it', ['USDT', SEP, TO, '0.0000001']],
    ['no contract can hold it', ['USDT', { ...SEP, decimals: 18 }, TO, '9'.repeat(60)]],
  ]
  for (const [why, args] of none) {
    test(`is nothing when ${why}`, () => assert.equal(walletPayment(...args), null))
  }
})
