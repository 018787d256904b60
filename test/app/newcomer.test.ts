import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Browser } from 'playwright-core'
import { launchBrowser } from '../support/browser.js'
import { noBrowser } from '../support/chromium.js'
import { ServiceFixture } from '../support/service-fixture.js'
import { Visitor } from './visitor.js'

describe('a newcomer to the web wallet', { skip: noBrowser, timeout: 120_000 }, () => {
  let browser: Browser
  before(async () => {
    browser = await launchBrowser()
  })
  after(() => browser?.close())

  test('gets the first wallet where an invoice lacks one, and loses nothing that was typed', async (t) => {
    const service = await ServiceFixture.start({ BILLHOOK_SANDBOX: 'on' })
    t.after(() => service.stop())
    const visitor = await Visitor.arrive(service.url, browser)
    t.after(() => visitor.leave())
    const { page } = visitor
    await visitor.becomesMerchant()
    await visitor.sees('Invoices')
    await visitor.follow('Till')
    await visitor.reads('No coin with a rate and a wallet can pay this.')
    await visitor.follow('Get wallets')
    await visitor.sees('Wallets')
    await visitor.invoices('Tea set', '25')
    await visitor.reads(/^You have no wallet on /)
    await visitor.press('Get wallets')
    await page.getByText(/^You have no wallet on /).waitFor({ state: 'detached' })
    assert.equal(await page.getByLabel('What it is for', { exact: true }).inputValue(), 'Tea set')
    await visitor.press('Create')
    await visitor.sees('25 USDT')
    await visitor.press('Simulate the payment')
    await page.locator('main [data-state=paid]').waitFor()
    assert.deepEqual(visitor.complaints, [])
  })
})
