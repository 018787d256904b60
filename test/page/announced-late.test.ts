import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Browser, Page } from 'playwright-core'
import { launchBrowser } from '../support/browser.js'
import { noBrowser } from '../support/chromium.js'
import { ServiceFixture } from '../support/service-fixture.js'
import { Shop } from './shop.js'

const TOKEN = '0x7169d38820dfd117c3fa1f22a697dba58d90ba06'

/** In the page: a wallet at `window.ethereum` that has announced nothing yet, and how it and others do so later. */
const WALLETS = `
  const request = ({ method }) => new Promise((resolve, reject) => {
    if (method === 'eth_requestAccounts') window.decline = () => reject({ code: 4001 })
  })
  window.ethereum = { request }
  window.announce = (name, provider) => dispatchEvent(
    new CustomEvent('eip6963:announceProvider', { detail: { info: { uuid: name, name, icon: 'data:,', rdns: name }, provider } }))
`

describe('a wallet that announces itself late', { skip: noBrowser }, () => {
  let fixture: ServiceFixture
  let browser: Browser
  let shop: Shop

  before(async () => {
    fixture = await ServiceFixture.start({ BILLHOOK_SEP_TOKEN: TOKEN })
    browser = await launchBrowser()
    shop = new Shop(fixture.url, browser)
    await shop.open()
  })

  after(async () => {
    await browser?.close()
    await fixture?.stop()
  })

  async function visit(): Promise<Page> {
    const page = await shop.visit(await shop.invoice('25'), {}, (opened) => opened.addInitScript(WALLETS))
    await page.locator('.wallets button').waitFor()
    assert.deepEqual(await buttons(page), ['Pay 25 USDT with your browser wallet'])
    return page
  }

  async function buttons(page: Page): Promise<readonly string[]> {
    const texts = await page.locator('.panel:visible .wallets button').allTextContents()
    return texts.map((text) => text.replace(/[\u2066-\u2069]/g, ''))
  }

  for (const [what, provider] of [
    ['as the same object', 'window.ethereum'],
    ['as another object', '({ request: window.ethereum.request })'],
  ]) {
    test(`has one button, with its name, ${what}`, async () => {
      const page = await visit()
      await page.evaluate(`announce('Late Wallet', ${provider})`)
      assert.deepEqual(await buttons(page), ['Pay 25 USDT with Late Wallet'])
      await page.context().close()
    })
  }

  test('has one button beside those of others, and what was said stays', async () => {
    const page = await visit()
    await page.locator('.wallets button').click()
    await page.evaluate("announce('Late Wallet', window.ethereum); announce('Other Wallet', { request() {} })")
    assert.deepEqual(await buttons(page), ['Pay 25 USDT with Late Wallet', 'Pay 25 USDT with Other Wallet'])
    const line = page.locator('.panel:visible .wallets p')
    assert.equal(await line.textContent(), 'Confirm in your wallet.')
    await page.evaluate('decline()')
    await page.locator('.wallets p', { hasText: 'You declined in the wallet.' }).waitFor()
    await page.evaluate("announce('Third Wallet', { request() {} })")
    assert.equal(await line.textContent(), 'You declined in the wallet. Nothing was sent.')
    await page.context().close()
  })

  test('keeps saying what waits in the wallet when the amount changes meanwhile', async () => {
    const page = await visit()
    await page.locator('.wallets button').click()
    await shop.deposit('pending', '10000000')
    await page.locator('.wallets button', { hasText: '15 USDT' }).waitFor()
    assert.equal(await page.locator('.panel:visible .wallets p').textContent(), 'Confirm in your wallet.')
    await page.context().close()
  })

  test('takes back what was said of an amount that is no longer due', async () => {
    const page = await visit()
    await page.locator('.wallets button').click()
    await page.evaluate('decline()')
    await page.locator('.wallets p', { hasText: 'You declined in the wallet.' }).waitFor()
    await shop.deposit('pending', '10000000')
    await page.locator('.wallets button', { hasText: '15 USDT' }).waitFor()
    assert.equal(await page.locator('.wallets p').count(), 0)
    await page.context().close()
  })
})
