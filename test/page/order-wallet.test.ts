import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Browser } from 'playwright-core'
import { anvilAbsence } from '../support/anvil.js'
import { launchBrowser } from '../support/browser.js'
import { noBrowser } from '../support/chromium.js'
import { addressNumber, callData, EthereumChain } from '../support/ethereum-chain.js'
import { developmentAccounts } from '../support/evm-transaction.js'
import { ServiceFixture } from '../support/service-fixture.js'
import { says } from './shop.js'
import { TestWallet } from './test-wallet.js'

const CONFIRMATIONS = 3
const OWNER = 'shop'
const PATIENCE_MS = 15_000
const UNIT = 10n ** 18n

describe('paying an order from a browser wallet', { skip: anvilAbsence || noBrowser, timeout: 180_000 }, () => {
  let chain: EthereumChain
  /** USDT of 6 decimals, and DAI of 18. */
  let contracts: readonly [usdt: string, dai: string]
  let fixture: ServiceFixture
  let browser: Browser

  before(async () => {
    chain = await EthereumChain.start()
    contracts = [await chain.deployToken(), await chain.deployToken(18, 10n ** 24n)]
    fixture = await ServiceFixture.start({
      BILLHOOK_SEP_URLS: chain.node.url,
      BILLHOOK_SEP_TOKEN: contracts[0],
      BILLHOOK_SEP_TOKENS: `DAI:${contracts[1]}:18`,
      BILLHOOK_SEP_CONFIRMATIONS: String(CONFIRMATIONS),
      BILLHOOK_SEP_POLL_MS: '100',
    })
    browser = await launchBrowser()
  })

  after(async () => {
    await browser?.close()
    await fixture?.stop()
    await chain?.stop()
  })

  test('sends a part in one token and the rest in another of other decimals, each to the last unit', async () => {
    const wallet = { id: 'w', address: addressNumber(1), network: 'SEP' }
    await fixture.assign(OWNER, wallet)
    const options = [
      { walletIds: ['w'], currency: 'USDT', amount: '20' },
      { walletIds: ['w'], currency: 'DAI', amount: '21.5' },
    ]
    const body = { owner: OWNER, price: { amount: '20.00', currency: 'USD' }, options, name: 'Tea' }
    const { status, json } = await fixture.post('/api/orders', body)
    assert.equal(status, 201, JSON.stringify(json))
    const context = await browser.newContext({ viewport: { width: 390, height: 844 }, locale: 'en' })
    const page = await context.newPage()
    page.setDefaultTimeout(PATIENCE_MS)
    const payer = new TestWallet(chain.node, developmentAccounts()[0] ?? assert.fail())
    await payer.install(page)
    const button = page.locator('.wallets button')
    const named = async () => (await button.textContent())?.replace(/[\u2066-\u2069]/g, '')

    await chain.sendCall(contracts[0], 'transfer(address,uint256)', [wallet.address, 5_000_001n])
    await chain.mine()
    await page.goto(`${fixture.url}${json.url}?option=2`)
    // 21.5 × (1 − 5.000001 ÷ 20) = 16.124998925, rounded up to the places of the order.
    await says(page, '5.000001 USDT seen, 16.13 DAI more to send')
    assert.equal(await named(), 'Pay 16.13 DAI with Test Wallet')
    await page.locator('.choice a', { hasText: 'USDT' }).click()
    await says(page, '15 USDT more to send')
    assert.equal(await named(), 'Pay 15 USDT with Test Wallet')
    await page.locator('.choice a', { hasText: 'DAI' }).click()
    await button.click()
    await page.locator('.wallets p', { hasText: 'Sent.' }).waitFor()
    const data = callData('transfer(address,uint256)', [wallet.address, (1613n * UNIT) / 100n])
    assert.deepEqual(
      payer.transfers.map(({ to, value, data: sent }) => [to.toLowerCase(), value, sent]),
      [[contracts[1].toLowerCase(), '0x0', data]],
    )
    await chain.mine()
    await says(page, '5.000001 USDT and 16.13 DAI seen, nothing more to send')
    await chain.mine(CONFIRMATIONS)
    await says(page, 'Paid. Nothing more is due.')
    const shown = (await fixture.get(`/api/orders/${json.id}`)).json
    assert.equal(shown.status, 'paid')
    await context.close()
  })
})
