import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, describe, test } from 'node:test'
import { Billhook } from '@billhook/client'
import type { Page, Request, Route } from 'playwright-core'
import { noBrowser } from '../../support/chromium.js'
import { OpenShop } from './open-shop.js'
import type { Visitor } from './visitor.js'

/** Markup, an override of direction that is never closed, a link that runs, and a template. */
const MARKUP = '<img src=x onerror=document.title=1>\u202e\u2066javascript:alert(1)\u0000{{7*7}}"\'`$&lt;'
const INVOICE = /\/api\/invoices\/[0-9a-f]{32}$/
const ORDER = /\/api\/orders\/[0-9a-f]{32}$/
const HOURS = 3_600_000

describe('an attack on the web wallet', { skip: noBrowser }, () => {
  let shop: OpenShop
  let merchant: Visitor
  let page: Page
  /** What has no answer yet. */
  const asked = new Set<Request>()
  before(async () => {
    shop = await OpenShop.open({ network: 'Ethereum Sepolia', wallets: 2 })
    merchant = shop.merchant
    page = merchant.page
    page.on('request', (request) => request.url().includes('/events') || asked.add(request))
    page.on('requestfinished', (request) => asked.delete(request))
    page.on('requestfailed', (request) => asked.delete(request))
  })
  after(() => shop?.close())

  /** Changes answers of the service until the test is over. */
  async function answers(url: string | RegExp, change: (body: never) => unknown): Promise<() => Promise<void>> {
    const lie = async (route: Route) => {
      const response = await route.fetch()
      await route.fulfill({ response, json: change((await response.json()) as never) })
    }
    await merchant.context.route(url, lie)
    return () => merchant.context.unrouteAll({ behavior: 'ignoreErrors' })
  }

  /** Nothing is asked for any more but events. */
  async function settles(): Promise<void> {
    do await page.waitForTimeout(100)
    while (asked.size > 0)
  }

  async function reopens(): Promise<void> {
    await page.reload()
    await merchant.unlocks()
  }

  for (const [what, amount, hostile] of [
    ['markup and bidirectional controls', '2', MARKUP],
    ['a hundred kilobytes without a blank', '2.1', 'W'.repeat(100_000)],
    ['a hundred kilobytes of combining marks', '2.2', 'e\u0301\u202e'.repeat(30_000)],
  ] as const) {
    test(`by texts of others finds them shown as text on every screen: ${what}`, async () => {
      // Longer than the service takes: it is the one that is hostile.
      const changed = { name: hostile, description: hostile, orderNumber: hostile, label: hostile, reference: hostile }
      const withTexts = (body: unknown): unknown => {
        if (Array.isArray(body)) return body.map(withTexts)
        if (typeof body !== 'object' || body === null) return body
        const told = Object.entries(body).map(([key, value]) => {
          const isText = Object.hasOwn(changed, key) || ['callback_url', 'url', 'failure'].includes(key)
          return [key, isText && (typeof value === 'string' || value === null) ? hostile : withTexts(value)]
        })
        return Object.fromEntries(told)
      }
      const complaints = merchant.complaints.length
      await merchant.invoices('Carrier', amount)
      await page.locator('main .qr').waitFor()
      const address = await page.evaluate('location.hash')
      const end = await answers(/\/api\/(?!info)/, withTexts)
      await reopens()
      await page.setViewportSize({ width: 320, height: 640 })
      for (const place of [
        address,
        '#/invoices',
        '#/orders',
        '#/overview',
        '#/wallets',
        '#/webhooks',
        '#/keys',
        '#/till',
      ]) {
        await page.evaluate(`location.hash = '${place}'`)
        await page.locator('main h1').waitFor()
        await settles()
        assert.ok(await page.evaluate('document.documentElement.scrollWidth <= innerWidth'), `${place} is wider`)
        assert.equal(await page.locator('main img, main script, main iframe, main a[href^="javascript"]').count(), 0)
      }
      await page.evaluate(`location.hash = '${address}'`)
      assert.equal((await page.locator('main .name bdi').textContent())?.length, hostile.length)
      assert.notEqual(await page.title(), '1')
      await end()
      await page.setViewportSize({ width: 360, height: 740 })
      assert.deepEqual(merchant.complaints.slice(complaints), [])
    })
  }

  test('by a page of another origin reaches nothing: forms, fetch, messages, channels, the window it opened', async () => {
    const host = createServer((_request, response) => {
      response.setHeader('Content-Type', 'text/html')
      response.end('<!doctype html><title>Other</title>')
    }).listen(0, '127.0.0.1')
    await new Promise((resolve) => host.once('listening', resolve))
    const other = await merchant.context.newPage()
    try {
      await other.goto(`http://127.0.0.1:${(host.address() as AddressInfo).port}`)
      const outcome = await other.evaluate(`(async () => {
        const service = ${JSON.stringify(shop.service.url)}
        const sent = (init) => fetch(service + '/api/invoices', { method: 'POST', body: '{}', ...init }).then(({ type }) => type, () => 'refused')
        const opened = window.open(service + '/app')
        for (let looks = 0; looks < 100 && opened?.closed === false; looks++) await new Promise((resolve) => setTimeout(resolve, 100))
        opened?.postMessage('locked', '*')
        opened?.postMessage({ id: 1, call: 'forget', given: [] }, '*')
        new BroadcastChannel('billhook ').postMessage('locked')
        let held = 'nothing'
        try { held = opened.document.title } catch { held = 'refused' }
        return {
          json: await sent({ headers: { 'Content-Type': 'application/json' } }),
          databases: (await indexedDB.databases()).length,
          isClosed: opened === null || opened.closed,
          held,
        }
      })()`)
      // Cross-Origin-Opener-Policy: the opener holds a window that looks closed.
      assert.deepEqual(outcome, { json: 'refused', databases: 0, isClosed: true, held: 'refused' })
      const status = await other.evaluate(
        `fetch(${JSON.stringify(shop.service.url)} + '/api/invoices', { method: 'POST', mode: 'no-cors', credentials: 'include', body: '{}' }).then(({ type, status }) => type + status)`,
      )
      assert.equal(status, 'opaque0')
      assert.equal(await page.getByRole('heading', { level: 1, name: 'Locked' }).count(), 0)
      await merchant.follow('Settings')
      await merchant.sees('Settings')
    } finally {
      await other.close()
      host.close()
    }
  })

  test('by a service that answers with an invoice of somebody else is warned of', async () => {
    await merchant.invoices('Whose', '3')
    await merchant.sees('3 USDT')
    const end = await answers(INVOICE, (body: object) => ({ ...body, owner: 'thief' }))
    await page.reload()
    await merchant.unlocks()
    await page.getByRole('heading', { name: 'Do not let this invoice be paid' }).waitFor()
    assert.equal(await page.locator('.qr').count(), 0)
    await end()
  })

  test('by a service that answers with another invoice than was asked for is told in words', async () => {
    const end = await answers(INVOICE, (body: object) => ({ ...body, id: 'f'.repeat(32) }))
    await reopens()
    await merchant.reads('The service cannot be reached. Look whether you are online, and try again.')
    await end()
  })

  test('by a service that changes an amount later, behind a reload, is warned of', async () => {
    await merchant.invoices('Later', '13')
    await merchant.sees('13 USDT')
    const end = await answers(INVOICE, (body: object) => ({ ...body, amount: '1.30' }))
    await reopens()
    await merchant.reads('The service recorded 1.30 where you asked for 13 (amount).')
    assert.equal(await page.locator('.qr').count(), 0)
    await end()
  })

  test('by a service that fails once and then lies is warned of', async () => {
    let fails = true
    const lie = async (route: Route) => {
      if (fails) return route.fulfill({ status: 400, contentType: 'text/html', body: '<h1>no</h1>' })
      const response = await route.fetch()
      return route.fulfill({ response, json: { ...((await response.json()) as object), amount: '1.40' } })
    }
    await merchant.context.route(INVOICE, lie)
    await merchant.invoices('Twice', '14')
    await merchant.reads('The service cannot be reached. Look whether you are online, and try again.')
    fails = false
    await reopens()
    await merchant.reads('The service recorded 1.40 where you asked for 14 (amount).')
    assert.equal(await page.locator('.qr').count(), 0)
    await merchant.context.unrouteAll({ behavior: 'ignoreErrors' })
  })

  test('by a service that swaps the wallets of an order, or says at once that it is paid, is warned of at the till', async () => {
    const end = await answers(ORDER, (body: { options: { invoice: object }[] }) => ({
      ...body,
      status: 'paid',
      price: { amount: '0.6', currency: 'USDT' },
      options: body.options.map(({ invoice, ...option }) => ({
        ...option,
        invoice: { ...invoice, wallet_id: 'x', wallet_ids: 'x' },
      })),
    }))
    await merchant.follow('Till')
    await merchant.choose('In', 'USDT')
    await merchant.charges('6')
    await page.getByRole('heading', { name: 'Do not let this invoice be paid' }).waitFor()
    await merchant.reads('The service recorded 0.6 where you asked for 6 (amount).')
    await reopens()
    await merchant.reads('The service recorded 0.6 where you asked for 6 (amount).')
    assert.equal(await page.locator('.qr').count(), 0)
    await end()
    await merchant.press('Next customer')
  })

  for (const [what, answer] of [
    ['half of a JSON', { status: 200, contentType: 'application/json', body: '{"id":"' }],
    ['an error page', { status: 500, contentType: 'text/html', body: '<script>document.title=1</script>' }],
    ['JSON of another form', { status: 200, contentType: 'application/json', body: '[null]' }],
    ['null', { status: 200, contentType: 'application/json', body: 'null' }],
  ] as const) {
    test(`by a service that answers with ${what} is told in words, and ends with it`, async () => {
      await merchant.follow('Invoices')
      await merchant.context.route(/\/api\/(?!info|.*exists)/, (route) => route.fulfill(answer))
      await reopens()
      await page.locator('.failure[role=alert]').first().waitFor()
      assert.equal(await page.locator('.qr').count(), 0)
      await merchant.context.unrouteAll({ behavior: 'ignoreErrors' })
      await merchant.press('Try again')
      await merchant.sees('Invoices')
      await page.getByRole('link', { name: /Later/ }).waitFor()
    })
  }

  for (const hours of [-26, 26]) {
    test(`by a clock of the device that is ${hours} hours wrong does not stop what is live`, async () => {
      const visitor = await shop.arrives()
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
      await new Billhook({ url: shop.service.url }).simulateDeposit({ invoiceId: id })
      await visitor.page.locator('main [data-state=paid]').waitFor()
      await visitor.leave()
    })
  }
})
