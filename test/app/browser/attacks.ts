import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { Billhook } from '@billhook/client'
import type { Route } from 'playwright-core'
import { noBrowser } from '../../support/chromium.js'
import { type Arena, AttackedShop } from './attacked-shop.js'
import { PASSPHRASE, Visitor } from './visitor.js'

const INVOICE = /\/api\/invoices\/[0-9a-f]{32}$/
/** The record of one, and lists of them: whichever is answered last is shown. */
const INVOICES = /\/api\/invoices\/[0-9a-f]{32}$|\/api\/users\/\w+\/invoices\b/
const ORDER = /\/api\/orders\/[0-9a-f]{32}$/
const HOURS = 3_600_000
const ANSWER_OF_NONE = /^What answered is not an answer of this service\./

/** Changes a record, or each of a list. */
function eachWith(lie: object): (body: object) => unknown {
  return (body) => (Array.isArray(body) ? body.map((one: object) => ({ ...one, ...lie })) : { ...body, ...lie })
}

/** Attacks on the web wallet where it makes a difference how the service runs. `where` says how. */
export function attacks(where: string, open: () => Promise<Arena>): void {
  describe(`an attack on the web wallet ${where}`, { skip: noBrowser, timeout: 400_000 }, () => {
    let shop: AttackedShop
    before(async () => {
      shop = await AttackedShop.open(await open())
    })
    after(() => shop?.close())

    test('by a service that answers with an invoice of somebody else is warned of', async () => {
      await shop.merchant.invoices('Whose', '3')
      await shop.merchant.sees('3 USDT')
      const end = await shop.answers(INVOICES, eachWith({ owner: 'thief' }))
      await shop.page.reload()
      await shop.merchant.unlocks()
      await shop.page.getByRole('heading', { name: 'Do not let this invoice be paid' }).waitFor()
      assert.equal(await shop.page.locator('.qr').count(), 0)
      await end()
    })

    test('by a service that answers with another invoice than was asked for is told in words', async () => {
      const end = await shop.answers(INVOICE, (body: object) => ({ ...body, id: 'f'.repeat(32) }))
      await shop.reopens()
      await shop.merchant.reads(ANSWER_OF_NONE)
      await end()
    })

    test('by a service that changes an amount later, behind a reload, is warned of', async () => {
      await shop.merchant.invoices('Later', '13')
      await shop.merchant.sees('13 USDT')
      const end = await shop.answers(INVOICES, eachWith({ amount: '1.30' }))
      await shop.reopens()
      await shop.merchant.reads('The service recorded 1.30 where you asked for 13 (amount).')
      assert.equal(await shop.page.locator('.qr').count(), 0)
      await end()
    })

    test('by a service that fails once and then lies is warned of', async () => {
      let fails = true
      const lie = async (route: Route) => {
        if (fails) return route.fulfill({ status: 400, contentType: 'text/html', body: '<h1>no</h1>' })
        const response = await route.fetch()
        return route.fulfill({ response, json: eachWith({ amount: '1.40' })((await response.json()) as object) })
      }
      await shop.merchant.context.route(INVOICES, lie)
      await shop.merchant.invoices('Twice', '14')
      await shop.merchant.reads(ANSWER_OF_NONE)
      fails = false
      await shop.reopens()
      await shop.merchant.reads('The service recorded 1.40 where you asked for 14 (amount).')
      assert.equal(await shop.page.locator('.qr').count(), 0)
      await shop.merchant.context.unrouteAll({ behavior: 'wait' })
    })

    test('by a service that swaps the wallets of an order, or says at once that it is paid, is warned of at the till', async () => {
      const end = await shop.answers(ORDER, (body: { options: { invoice: object }[] }) => ({
        ...body,
        status: 'paid',
        price: { amount: '0.6', currency: 'USDT' },
        options: body.options.map(({ invoice, ...option }) => ({
          ...option,
          invoice: { ...invoice, wallet_id: 'x', wallet_ids: 'x' },
        })),
      }))
      await shop.merchant.follow('Till')
      await shop.merchant.choose('In', 'USDT')
      await shop.merchant.charges('6')
      await shop.page.getByRole('heading', { name: 'Do not let this invoice be paid' }).waitFor()
      await shop.merchant.reads('The service recorded 0.6 where you asked for 6 (amount).')
      await shop.reopens()
      await shop.merchant.reads('The service recorded 0.6 where you asked for 6 (amount).')
      assert.equal(await shop.page.locator('.qr').count(), 0)
      await shop.merchant.press('Next customer')
      await end()
    })

    for (const hours of [-26, 26]) {
      test(`by a clock of the device that is ${hours} hours wrong does not stop what is live`, async () => {
        const visitor = await Visitor.arriveQuickly(shop.url, shop.browser)
        await visitor.context.addInitScript(`{ const now = Date.now; Date.now = () => now() + ${hours * HOURS} }`)
        await visitor.open('#/invoices')
        await visitor.page.reload()
        await visitor.becomesMerchant()
        await visitor.sees('Invoices')
        await visitor.getsWallets('TRON Nile', 1)
        await visitor.invoices('Out of time', '5')
        await visitor.sees('5 USDT')
        await visitor.page.locator('.qr').waitFor()
        const id =
          String(await visitor.page.evaluate('location.hash'))
            .split('/')
            .pop() ?? ''
        await new Billhook({ url: shop.url }).simulateDeposit({ invoiceId: id })
        await visitor.page.locator('main [data-state=paid]').waitFor()
        await visitor.leave()
      })
    }

    test('by a connection that is lost in the middle of a creation, and a reload, creates it once', async () => {
      let created = 0
      await shop.merchant.context.route(/\/api\/invoices$/, async (route) => {
        const response = await route.fetch()
        if (response.status() === 201 && response.headers()['idempotency-replayed'] !== 'true') created += 1
        await route.abort('connectionreset')
      })
      await shop.merchant.invoices('Lost on the way', '17')
      await shop.merchant.reads('Not answered yet')
      await shop.page.reload()
      await shop.merchant.unlocks()
      await shop.merchant.reads('Not answered yet')
      await shop.merchant.context.unrouteAll({ behavior: 'wait' })
      await shop.page.getByText('Not answered yet').waitFor({ state: 'detached' })
      await shop.page.getByRole('link', { name: /Lost on the way/ }).waitFor()
      await shop.reopens()
      await shop.page
        .getByRole('link', { name: /Lost on the way/ })
        .first()
        .waitFor()
      assert.equal(await shop.page.getByRole('link', { name: /Lost on the way/ }).count(), 1)
      assert.equal(created, 1)
    })

    test('by two tabs that both send what has no answer creates it once', async () => {
      await shop.merchant.context.route(/\/api\/invoices$/, (route) => route.abort('connectionreset'))
      await shop.merchant.invoices('From two tabs', '18')
      await shop.merchant.reads('Not answered yet')
      const second = await shop.merchant.context.newPage()
      await second.goto(`${shop.url}/app#/invoices`)
      await second.getByLabel('Passphrase', { exact: true }).fill(PASSPHRASE)
      await second.getByRole('button', { name: 'Open', exact: true }).click()
      await second.getByText('Not answered yet').waitFor()
      await shop.merchant.context.unrouteAll({ behavior: 'wait' })
      for (const tab of [shop.page, second]) {
        await tab.getByText('Not answered yet').waitFor({ state: 'detached' })
        await tab
          .getByRole('link', { name: /From two tabs/ })
          .first()
          .waitFor()
        assert.equal(await tab.getByRole('link', { name: /From two tabs/ }).count(), 1)
      }
      await second.close()
    })

    test('by two tabs that begin at once keeps one identity, and tells the other tab', async () => {
      const visitor = await Visitor.arriveQuickly(shop.url, shop.browser)
      const second = await visitor.context.newPage()
      await second.goto(`${shop.url}/app`)
      const tabs = [visitor.page, second]
      for (const tab of tabs) {
        await tab.getByRole('button', { name: /^I was given an API key/ }).click()
        await tab.getByLabel('Identity of the shop', { exact: true }).fill('0'.repeat(64))
        await tab.getByLabel(/^Private key/).fill('22'.repeat(32))
        await tab.getByRole('button', { name: 'Next', exact: true }).click()
        await tab.getByLabel('Passphrase', { exact: true }).fill(PASSPHRASE)
        await tab.getByLabel('The passphrase again', { exact: true }).fill(PASSPHRASE)
      }
      await Promise.all(tabs.map((tab) => tab.getByRole('button', { name: 'Next', exact: true }).click()))
      const refused = tabs.map((tab) =>
        tab.getByText('Another tab has changed the keys in this browser. Reload the page.').waitFor(),
      )
      await Promise.any(refused)
      for (const settled of refused) settled.catch(() => undefined)
      await visitor.leave()
    })

    test('by a reload in each step of the beginning leads back to the first, and keeps nothing by halves', async () => {
      const visitor = await Visitor.arriveQuickly(shop.url, shop.browser)
      await visitor.page.getByRole('button', { name: /^Create a new identity/ }).click()
      await visitor.sees('Write these twelve words down')
      const words = await visitor.page.locator('.words li').allTextContents()
      await visitor.page.reload()
      await visitor.sees('Your shop')
      await visitor.page.getByRole('button', { name: /^Create a new identity/ }).click()
      await visitor.sees('Write these twelve words down')
      assert.notDeepEqual(await visitor.page.locator('.words li').allTextContents(), words)
      await visitor.press('I have written them down')
      await visitor.page.reload()
      await visitor.sees('Your shop')
      await visitor.restores(words.join(' '))
      await visitor.page.reload()
      // The passphrase is taken or not: it is locked, or begins anew.
      const heading = visitor.page.getByRole('heading', { level: 1, name: /^(Locked|Your shop)$/ })
      await heading.waitFor()
      if ((await heading.textContent()) === 'Locked') await visitor.unlocks()
      else await visitor.restores(words.join(' '))
      await visitor.sees('Invoices')
      await visitor.leave()
    })
  })
}
