import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Browser } from 'playwright-core'
import { launchBrowser } from '../support/browser.js'
import { noBrowser } from '../support/chromium.js'
import { ServiceFixture } from '../support/service-fixture.js'
import { NILE, SEP, Shop, says } from './shop.js'

describe('the payment page in a browser', { skip: noBrowser }, () => {
  let fixture: ServiceFixture
  let browser: Browser
  let shop: Shop

  before(async () => {
    fixture = await ServiceFixture.start()
    browser = await launchBrowser()
    shop = new Shop(fixture.url, browser)
    await shop.open()
  })

  after(async () => {
    await browser?.close()
    await fixture?.stop()
  })

  test('shows a deposit without losing selection, focus, network or scroll', async () => {
    const page = await shop.visit(await shop.invoice('10000'))
    await page.getByText('TRON Nile').first().click()
    await page.locator('.panel:visible .copy').focus()
    await page.evaluate('scrollTo(0, 150); getSelection().selectAllChildren(document.querySelectorAll(".address")[1])')
    const place = 'JSON.stringify([scrollY > 0, String(getSelection()), document.activeElement.dataset.copy])'
    const was = await page.evaluate(place)
    await shop.deposit('pending', '1000000')
    await says(page, '1 USDT seen, 9999 USDT more to send')
    assert.equal(await page.evaluate(place), was)
    assert.equal(was, JSON.stringify([true, NILE.address, NILE.address]))
    await page.reload()
    assert.equal(await page.locator('input:checked').inputValue(), 'TRX-NILE')
    await page.context().close()
  })

  test('copies the address as one word, and says so', async () => {
    const page = await shop.visit(await shop.invoice('20000'), { permissions: ['clipboard-read', 'clipboard-write'] })
    await page.locator('.panel:visible .copy').click()
    await page.locator('#said', { hasText: 'Copied' }).waitFor({ state: 'attached' })
    assert.equal(await page.evaluate('navigator.clipboard.readText()'), SEP.address)
    await page.context().close()
  })

  test('lists its transactions, and lets none of their links tell where they are on', async () => {
    const page = await shop.visit(await shop.invoice('50000'), { javaScriptEnabled: false })
    await shop.deposit('pending', '1000000')
    await page.reload()
    const link = page.getByRole('link', { name: /^0x00000000…\w{8} \(block explorer, in a new tab\)$/ }).first()
    let referrer: string | undefined = 'none was asked'
    await page.context().route('https://sepolia.etherscan.io/**', (route) => {
      referrer = route.request().headers()['referer']
      return route.fulfill({ body: 'the explorer' })
    })
    const [tab] = await Promise.all([page.waitForEvent('popup'), link.click()])
    await tab.waitForLoadState()
    assert.match(tab.url(), /^https:\/\/sepolia\.etherscan\.io\/tx\/0x[0-9a-f]{64}$/)
    assert.deepEqual([referrer, await tab.evaluate('window.opener')], [undefined, null])
    await page.context().close()
  })

  test('works without a script: one network at a time, nothing to press that does nothing', async () => {
    const page = await shop.visit(await shop.invoice('30000'), { javaScriptEnabled: false })
    const address = () => page.locator('.panel:visible .address').textContent()
    assert.equal(await page.locator('.panel:visible').count(), 1)
    await page.getByRole('link', { name: 'TRON Nile' }).click()
    await page.waitForURL(/wallet=1/)
    assert.equal(await address(), NILE.address)
    // As the page does by itself every few seconds, and its link.
    await page.reload()
    assert.equal(await address(), NILE.address)
    await page.getByRole('link', { name: 'Refresh now' }).click()
    await page.waitForLoadState()
    assert.equal(await address(), NILE.address)
    assert.equal(await page.locator('button:visible').count(), 0)
    await page.getByRole('link', { name: 'Deutsch' }).click()
    await page.waitForURL(/lang=de/)
    assert.equal(await address(), NILE.address)
    await page.context().close()
  })
})
