import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Browser, Page } from 'playwright-core'
import { createLog } from '../../src/log.js'
import { launchBrowser } from '../support/browser.js'
import { noBrowser } from '../support/chromium.js'
import { ServiceFixture } from '../support/service-fixture.js'
import { Road } from './road.js'
import { EXPIRY_MS, Shop, says } from './shop.js'

const LAST_CALL_MS = 120_000
/** So long the page waits before it says that nothing comes. */
const LOST_MS = 5000
/** Longer than the pause between two signs of life, and than the page's pause before it doubts. */
const SILENCE_MS = 50_000

describe('what a payer is told in time', { skip: noBrowser }, () => {
  let aheadMs = 0
  let fixture: ServiceFixture
  let browser: Browser
  let shop: Shop
  let amount = 100

  before(async () => {
    const now = () => Date.now() + aheadMs
    fixture = await ServiceFixture.start({}, createLog('silent'), { now })
    browser = await launchBrowser()
    shop = new Shop(fixture.url, browser, now)
    await shop.open()
  })

  after(async () => {
    await browser?.close()
    await fixture?.stop()
  })

  /** An invoice of an amount that no other has. */
  function invoice(): Promise<string> {
    amount += 1
    return shop.invoice(String(amount))
  }

  const timeOn = (page: Page) => page.locator('time').first().textContent()

  test('is until when to pay, in the time zone of the browser, and in UTC without a script', async () => {
    const path = await invoice()
    const zone = { timezoneId: 'America/New_York', locale: 'de' }
    const plain = await shop.visit(path, { ...zone, javaScriptEnabled: false })
    assert.match((await timeOn(plain)) ?? '', / UTC$/)
    await plain.context().close()
    for (const [lang, zoneName] of [
      ['en', 'E[SD]T'],
      ['de', 'GMT-[45]'],
      ['ar', 'غرينتش-[45]'],
    ] as const) {
      const page = await shop.visit(`${path}?lang=${lang}`, zone)
      const expiresAt = new Date((await page.locator('time').first().getAttribute('datetime')) ?? '')
      const minutes = String(expiresAt.getUTCMinutes()).padStart(2, '0')
      const shown = (await timeOn(page)) ?? ''
      assert.match(shown, new RegExp(`:${minutes}\\D.*${zoneName}$`), lang)
      // It is the same after the page has been brought to another state.
      await shop.deposit('pending', '1000000')
      await page.locator('.transactions li').first().waitFor()
      assert.equal(await timeOn(page), shown)
      await page.context().close()
    }
  })

  test('is to send nothing any more, in the last two minutes', async () => {
    const page = await shop.visit(await invoice(), {}, (opened) => opened.clock.install())
    const call = page.locator('#last-call')
    await page.clock.runFor(EXPIRY_MS - LAST_CALL_MS - 10_000)
    assert.equal(await call.isVisible(), false)
    assert.equal(await invitations(page), 7)
    await page.clock.runFor(11_000)
    assert.match((await call.textContent()) ?? '', /^Do not send anything any more\./)
    assert.ok(await call.isVisible())
    assert.equal(await invitations(page), 0)
    await assertOnlyCompared(page)
    await page.context().close()
  })

  test('is so without a script, too, and of several networks', async () => {
    aheadMs = 0
    const path = await invoice()
    aheadMs = EXPIRY_MS - LAST_CALL_MS
    const page = await shop.visit(path, { javaScriptEnabled: false })
    aheadMs = 0
    assert.ok(await page.locator('#last-call').isVisible())
    assert.equal(await invitations(page), 0)
    await assertOnlyCompared(page)
    await page.context().close()
  })

  test('is what comes after the expiry', async () => {
    const page = await shop.visit(await invoice(), {}, (opened) => opened.clock.install())
    aheadMs = EXPIRY_MS
    await page.clock.runFor(EXPIRY_MS)
    await says(page, 'If something is still on its way, this page will show it.')
    await shop.deposit('pending', '7000000', 'late')
    await says(page, '7 USDT was seen and waits for confirmation.')
    await shop.deposit('confirmed', '7000000', 'late')
    await says(page, '7 USDT was received.')
    await page.context().close()
    aheadMs = 0
  })

  test('is that another coin has come, which does not count', async () => {
    const page = await shop.visit(await invoice())
    await shop.deposit('pending', '0.25', 'other coin', '#native')
    await says(page, '0.25 ETH arrived on Ethereum Sepolia. This invoice asks for USDT, so it does not count.')
    assert.equal(await page.locator('.panel:visible .address').count(), 1)
    await page.context().close()
  })

  /** The heading, the code and the button of the panel that is shown. */
  function invitations(page: Page): Promise<number> {
    return page.locator('.send:visible, .copy:visible').count()
  }

  /** What a person sees of the wallet that is shown, part by part. */
  async function shownOf(page: Page): Promise<readonly string[]> {
    return page.locator('.panel:visible > :visible').evaluateAll((parts) => parts.map((one) => one.textContent ?? ''))
  }

  /** What is left is for those who compare what they have sent, and tells nobody to send. */
  async function assertOnlyCompared(page: Page): Promise<void> {
    const [address = '', takes = '', ...more] = await shownOf(page)
    assert.match(address, /^0x[0-9A-Fa-f]{40}$/)
    assert.match(takes, /^The network takes about \d+ minutes to confirm a payment\.$/)
    assert.deepEqual(more, [])
  }

  const lost = (page: Page) => page.locator('#lost')

  test('is that the browser is offline, until it is online', async () => {
    const page = await shop.visit(await invoice())
    assert.equal(await lost(page).isVisible(), false)
    await page.context().setOffline(true)
    await lost(page).waitFor({ state: 'visible' })
    assert.match((await lost(page).textContent()) ?? '', /^No connection\./)
    await page.context().setOffline(false)
    await lost(page).waitFor({ state: 'hidden' })
    await page.context().close()
  })

  test('is that the service cannot be reached, until it can, but not during a short pause', async () => {
    const page = await shop.visit(await invoice(), {}, (opened) => opened.clock.install())
    await page.route('**/pay/**', (route) => route.abort())
    await page.evaluate(
      "dispatchEvent(new Event('pagehide')); dispatchEvent(new PageTransitionEvent('pageshow', { persisted: true }))",
    )
    await page.waitForEvent('requestfailed')
    await page.clock.runFor(LOST_MS - 1000)
    assert.equal(await lost(page).isVisible(), false)
    await page.clock.runFor(2000)
    await lost(page).waitFor({ state: 'visible' })
    await page.unroute('**/pay/**')
    for (let step = 0; step < 60 && (await lost(page).isVisible()); step += 1) await page.clock.runFor(1000)
    await lost(page).waitFor({ state: 'hidden' })
    await page.context().close()
  })

  test('is that the connection has fallen silent', async (t) => {
    const road = await Road.start(Number(new URL(fixture.url).port))
    t.after(() => road.close())
    const page = await shop.visit(`${road.url}${await invoice()}`, {}, (opened) => opened.clock.install())
    // A new connection hears nothing, either.
    await page.route('**/events**', () => undefined)
    road.silence()
    await page.clock.runFor(SILENCE_MS)
    await lost(page).waitFor({ state: 'visible' })
    await page.context().close()
  })
})
