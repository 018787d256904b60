import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, describe, test } from 'node:test'
import { noBrowser } from '../../support/chromium.js'
import { ServiceFixture } from '../../support/service-fixture.js'
import { AttackedShop } from './attacked-shop.js'
import { attacks } from './attacks.js'

/** Markup, an override of direction that is never closed, a link that runs, and a template. */
const MARKUP = '<img src=x onerror=document.title=1>\u202e\u2066javascript:alert(1)\u0000{{7*7}}"\'`$&lt;'

const openSandbox = () => ServiceFixture.start({ BILLHOOK_SANDBOX: 'on' })

attacks('of a sandbox', openSandbox)

describe('an attack on what the web wallet shows', { skip: noBrowser, timeout: 400_000 }, () => {
  let shop: AttackedShop
  before(async () => {
    shop = await AttackedShop.open(await openSandbox())
  })
  after(() => shop?.close())

  for (const [what, amount, hostile] of [
    ['markup and bidirectional controls', '2', MARKUP],
    ['a hundred kilobytes without a blank', '2.1', 'W'.repeat(100_000)],
    ['a hundred kilobytes of combining marks', '2.2', 'e\u0301\u202e'.repeat(30_000)],
  ] as const) {
    test(`by texts of others finds them shown as text on every screen: ${what}`, async () => {
      // Longer than the service takes: it is the one that is hostile.
      const changed = {
        name: hostile,
        description: hostile,
        orderNumber: hostile,
        label: hostile,
        reference: hostile,
      }
      const withTexts = (body: unknown): unknown => {
        if (Array.isArray(body)) return body.map(withTexts)
        if (typeof body !== 'object' || body === null) return body
        const told = Object.entries(body).map(([key, value]) => {
          const isText = Object.hasOwn(changed, key) || ['callback_url', 'url', 'failure'].includes(key)
          return [key, isText && (typeof value === 'string' || value === null) ? hostile : withTexts(value)]
        })
        return Object.fromEntries(told)
      }
      const complaints = shop.merchant.complaints.length
      await shop.merchant.invoices('Carrier', amount)
      await shop.page.locator('main .qr').waitFor()
      const address = await shop.page.evaluate('location.hash')
      const end = await shop.answers(/\/api\/(?!info)/, withTexts)
      await shop.reopens()
      await shop.page.setViewportSize({ width: 320, height: 640 })
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
        await shop.page.evaluate(`location.hash = '${place}'`)
        await shop.page.locator('main h1').waitFor()
        await shop.settles()
        assert.ok(await shop.page.evaluate('document.documentElement.scrollWidth <= innerWidth'), `${place} is wider`)
        assert.equal(
          await shop.page.locator('main img, main script, main iframe, main a[href^="javascript"]').count(),
          0,
        )
      }
      await shop.page.evaluate(`location.hash = '${address}'`)
      assert.equal((await shop.page.locator('main .name bdi').textContent())?.length, hostile.length)
      assert.notEqual(await shop.page.title(), '1')
      await end()
      await shop.page.setViewportSize({ width: 360, height: 740 })
      await shop.reopens()
      assert.deepEqual(shop.merchant.complaints.slice(complaints), [])
    })
  }

  test('by a page of another origin reaches nothing: forms, fetch, messages, channels, the window it opened', async () => {
    // The shop is open, so that one that is locked was locked by the other page.
    await shop.merchant.follow('Invoices')
    const host = createServer((_request, response) => {
      response.setHeader('Content-Type', 'text/html')
      response.end('<!doctype html><title>Other</title>')
    }).listen(0, '127.0.0.1')
    await new Promise((resolve) => host.once('listening', resolve))
    const other = await shop.merchant.context.newPage()
    try {
      await other.goto(`http://127.0.0.1:${(host.address() as AddressInfo).port}`)
      const outcome = await other.evaluate(`(async () => {
        const service = ${JSON.stringify(shop.url)}
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
        `fetch(${JSON.stringify(shop.url)} + '/api/invoices', { method: 'POST', mode: 'no-cors', credentials: 'include', body: '{}' }).then(({ type, status }) => type + status)`,
      )
      assert.equal(status, 'opaque0')
      assert.equal(await shop.page.getByRole('heading', { level: 1, name: 'Locked' }).count(), 0)
      await shop.merchant.follow('Settings')
      await shop.merchant.sees('Settings')
    } finally {
      await other.close()
      host.close()
    }
  })

  for (const [what, answer] of [
    ['half of a JSON', { status: 200, contentType: 'application/json', body: '{"id":"' }],
    ['an error page', { status: 500, contentType: 'text/html', body: '<script>document.title=1</script>' }],
    ['JSON of another form', { status: 200, contentType: 'application/json', body: '[null]' }],
    ['null', { status: 200, contentType: 'application/json', body: 'null' }],
    [
      'JSON without a bottom',
      { status: 200, contentType: 'application/json', body: '['.repeat(100_000) + ']'.repeat(100_000) },
    ],
  ] as const) {
    test(`by a service that answers with ${what} is told in words, and ends with it`, async () => {
      await shop.merchant.follow('Invoices')
      await shop.merchant.context.route(/\/api\/(?!info|.*exists)/, (route) => route.fulfill(answer))
      await shop.reopens()
      await shop.page.locator('.failure[role=alert]').first().waitFor()
      assert.equal(await shop.page.locator('.qr').count(), 0)
      await shop.merchant.context.unrouteAll({ behavior: 'ignoreErrors' })
      await shop.merchant.press('Try again')
      await shop.merchant.sees('Invoices')
      await shop.page
        .getByRole('link', { name: /Carrier/ })
        .first()
        .waitFor()
    })
  }

  for (const [what, change] of [
    ['nothing', () => null],
    ['a number', () => 7],
    ['a record', () => ({ a: [{}] })],
    ['a list of lists', () => [[[]], [null]]],
  ] as const) {
    test(`by a service that has ${what} in every field leaves words on every screen, and ends with it`, async () => {
      const inEveryField = (body: unknown): unknown => {
        if (Array.isArray(body)) return body.map(inEveryField)
        if (typeof body !== 'object' || body === null) return body
        // Which record it is stays, or it would be another attack.
        return Object.fromEntries(Object.entries(body).map(([key, value]) => [key, key === 'id' ? value : change()]))
      }
      const end = await shop.answers(/\/api\/(?!info|.*exists|api-keys$)/, inEveryField)
      await shop.reopens()
      for (const place of [
        '#/invoices',
        '#/orders',
        '#/overview',
        '#/wallets',
        '#/webhooks',
        '#/keys',
        '#/till',
        '#/settings',
      ]) {
        await shop.page.evaluate(`location.hash = '${place}'`)
        await shop.page.locator('main h1').waitFor()
        assert.equal(await shop.page.locator('.qr').count(), 0, place)
      }
      await end()
      await shop.reopens()
      await shop.merchant.follow('Invoices')
      await shop.page
        .getByRole('link', { name: /Carrier/ })
        .first()
        .waitFor()
    })
  }
})
