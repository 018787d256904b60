import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, describe, test } from 'node:test'
import type { Browser } from 'playwright-core'
import { launchBrowser } from '../../support/browser.js'
import { noBrowser } from '../../support/chromium.js'
import { ServiceFixture } from '../../support/service-fixture.js'
import { Visitor } from './visitor.js'

const MODES = [
  ['by default', {}],
  ['with unsigned requests of its own pages only', { BILLHOOK_UNSIGNED: 'same-origin', BILLHOOK_HTTP: 'node' }],
  ['without unsigned requests', { BILLHOOK_UNSIGNED: 'off' }],
  ['in strict mode', { BILLHOOK_STRICT: 'on' }],
] as const

describe('somebody who begins with the web wallet', { skip: noBrowser }, () => {
  let browser: Browser
  let service: ServiceFixture
  before(async () => {
    browser = await launchBrowser()
    service = await ServiceFixture.start({ BILLHOOK_SANDBOX: 'on' })
  })
  after(async () => {
    await browser?.close()
    await service?.stop()
  })

  for (const [mode, settings] of MODES) {
    test(`comes from nothing to an invoice that is seen paid, ${mode}`, async (t) => {
      const service = await ServiceFixture.start({ BILLHOOK_SANDBOX: 'on', ...settings })
      t.after(() => service.stop())
      const visitor = await Visitor.arrive(service.url, browser)
      t.after(() => visitor.leave())
      await visitor.sees('Your shop')
      await visitor.becomesMerchant()
      await visitor.sees('Invoices')
      await visitor.reads('There is no invoice yet.')
      await visitor.getsWallets('TRON Nile', 2)
      await visitor.invoices('Tea set', '25.00', 'A-17')
      await visitor.sees('25.00 USDT')
      await visitor.press('Simulate the payment')
      await visitor.page.locator('main [data-state=paid]').waitFor()
      await visitor.follow('Invoices')
      await visitor.page.getByRole('link', { name: /Tea set.*A-17.*Paid/s }).waitFor()
      assert.deepEqual(visitor.complaints, [])
    })
  }

  test('is asked for three words, and goes on with the right ones only', async (t) => {
    const visitor = await Visitor.arrive(service.url, browser)
    t.after(() => visitor.leave())
    await visitor.sees('Your shop')
    await visitor.page.getByRole('button', { name: /^Create a new identity/ }).click()
    await visitor.sees('Write these twelve words down')
    await visitor.press('I have written them down')
    await visitor.givesBack(Array(12).fill('zebra'))
    await visitor.press('Next')
    await visitor.reads(/^Word \d+ is another one\./)
  })

  test('is told without a ledger what the operator has to do, and goes on when it is done', async (t) => {
    const service = await ServiceFixture.start({ BILLHOOK_STRICT: 'on', BILLHOOK_ONBOARDING_NAME: 'shop.example' })
    t.after(() => service.stop())
    const visitor = await Visitor.arrive(service.url, browser)
    t.after(() => visitor.leave())
    await visitor.becomesMerchant('shop.example')
    await visitor.sees('Preparing your shop')
    const command = visitor.page.locator('code', { hasText: 'billhook identities add' })
    const identity = (await command.textContent())?.split(' ').pop()
    await service.push({ id: 'onboarded', type: 'identity.onboarded', identity })
    await visitor.sees('Invoices')
    await visitor.follow('Wallets')
    await visitor.reads('This service has no ledger: its operator gives you wallets, with the command below.')
  })

  test('posts to the nodes of a real ledger, which are of other origins, and is known when the service has followed', async (t) => {
    const { json: place } = await service.get('/sandbox')
    const node = place.nodeUrl
    const onboard = `onboard=${place.namespace}/${place.contracts.onboard}`
    const assign = `assign=${place.namespace}/${place.contracts.assignOwner}`
    const follower = await ServiceFixture.start({
      BILLHOOK_ONBOARDING_NAME: place.onboardingName,
      BILLHOOK_LEDGER_URL: node,
      BILLHOOK_LEDGER_STORE_URL: node,
      BILLHOOK_LEDGER_FOLLOW: `${onboard},${assign}`,
      BILLHOOK_LEDGER_NODES: node,
      BILLHOOK_LEDGER_CONTRACTS: `${onboard},${assign}`,
    })
    t.after(() => follower.stop())
    const visitor = await Visitor.arrive(follower.url, browser)
    t.after(() => visitor.leave())
    await visitor.becomesMerchant()
    await visitor.sees('Invoices')
    assert.deepEqual(
      visitor.complaints.filter((complaint) => complaint.includes(node)),
      [],
    )
  })

  test('gets the first wallet where an invoice lacks one, and loses nothing that was typed', async (t) => {
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

  test('sees nothing of it in a frame of another page', async () => {
    const host = createServer((_request, response) => {
      response.setHeader('Content-Type', 'text/html')
      response.end(`<!doctype html><iframe src="${service.url}/app"></iframe>`)
    }).listen(0, '127.0.0.1')
    await new Promise((resolve) => host.once('listening', resolve))
    const page = await browser.newPage()
    try {
      await page.goto(`http://127.0.0.1:${(host.address() as AddressInfo).port}`)
      const frame = await (await page.waitForSelector('iframe')).contentFrame()
      assert.equal(await frame?.locator('#app').count(), 0)
    } finally {
      await page.close()
      host.close()
    }
  })
})
