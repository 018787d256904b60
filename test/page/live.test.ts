import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Browser, Page } from 'playwright-core'
import { createLog } from '../../src/log.js'
import { launchBrowser } from '../support/browser.js'
import { noBrowser } from '../support/chromium.js'
import { deferred } from '../support/deferred.js'
import { freePort } from '../support/free-port.js'
import { ServiceFixture } from '../support/service-fixture.js'
import { ServiceProcess } from '../support/service-process.js'
import { memoryDirectory } from '../support/temporary-directory.js'
import { Road } from './road.js'
import { EXPIRY_MS, NILE, Shop, says } from './shop.js'

/** So many are longer than the page waits for an answer, and shorter than it takes to doubt a silent stream. */
const STEP_MS = 1_000

/** Longer than any pause of the page. */
const LONG_STEP_MS = 30_000

/** Steps of a page whose clock the test moves. */
const STEPS_MAX = 14

/** What the payer has chosen on the page: the scroll, the selection, the focus and the network. */
const PLACE = `JSON.stringify([scrollY > 0, String(getSelection()), document.activeElement.dataset.copy,
  document.querySelector('input:checked').value])`
const CHOSEN = JSON.stringify([true, NILE.address, NILE.address, 'TRX-NILE'])

async function choose(page: Page): Promise<void> {
  await page.getByText('TRON Nile').first().click()
  await page.locator('.panel:visible .copy').focus()
  await page.evaluate('scrollTo(0, 150); getSelection().selectAllChildren(document.querySelectorAll(".address")[1])')
  assert.equal(await page.evaluate(PLACE), CHOSEN)
}

/** Moves the page's clock, step by step, until the page says so, and gives its requests time in between. */
async function saysLater(page: Page, text: string, stepMs = LONG_STEP_MS): Promise<void> {
  const status = page.locator('#status', { hasText: text })
  for (let step = 0; step < STEPS_MAX && (await status.count()) === 0; step += 1) {
    await page.clock.runFor(stepMs)
    await status.waitFor({ timeout: 500 }).catch(() => undefined)
  }
  await says(page, text)
}

const EVENTS = '**/pay/*/events**'
const PAGES = '**/pay/**'

describe('the payment page, live', { skip: noBrowser }, () => {
  const place = memoryDirectory()
  let port = 0
  let service: ServiceProcess
  let browser: Browser
  let shop: Shop

  before(async () => {
    port = await freePort()
    service = await start()
    browser = await launchBrowser()
    shop = new Shop(service.url, browser)
    await shop.open()
  })

  after(async () => {
    await browser?.close()
    await service?.stop()
    place.remove()
  })

  function start(): Promise<ServiceProcess> {
    return ServiceProcess.start(place.path, {}, ['--port', String(port)])
  }

  test('goes from nothing over seen to paid, and says each once to a screen reader', async () => {
    const page = await shop.visit(await shop.invoice('100'))
    await page.evaluate(`
      window.box = document.getElementById('status')
      window.heard = []
      new MutationObserver(() => heard.push(box.innerText)).observe(box, { subtree: true, childList: true, characterData: true })
    `)
    await shop.deposit('pending', '100000000', 'a')
    await says(page, '100 USDT seen, nothing more to send')
    await shop.deposit('confirmed', '100000000', 'a')
    await says(page, 'Paid. Nothing more is due.')
    assert.equal(await page.title(), 'Paid: Tea')
    const heard: string[] = await page.evaluate('heard')
    assert.equal(heard.length, 2, JSON.stringify(heard))
    // The same element: a screen reader listens to it.
    assert.ok(await page.evaluate("box === document.getElementById('status')"))
    await page.context().close()
  })

  test('brings news without a violation of its policy', async () => {
    const told: string[] = []
    const page = await shop.visit(await shop.invoice('950'), {}, async (opened) =>
      opened.on('console', (message) => told.push(message.text())),
    )
    await shop.deposit('pending', '1000000', 'j')
    await says(page, '1 USDT seen')
    await page.evaluate("console.log('the end')")
    assert.deepEqual(
      told.filter((text) => /Content Security Policy|the end/.test(text)),
      ['the end'],
    )
    await page.context().close()
  })

  test('shows no address any more when the invoice is void', async () => {
    const path = await shop.invoice('200')
    const page = await shop.visit(path)
    await page.locator('.panel:visible .copy').focus()
    await shop.void(path)
    await says(page, 'This invoice is no longer payable.')
    assert.equal(await page.locator('.address').count(), 0)
    assert.equal(await page.evaluate('document.activeElement.id'), 'status', 'the focus is not lost')
    await page.context().close()
  })

  test('shows no address any more when its time is over', async (t) => {
    let aheadMs = 0
    const fixture = await ServiceFixture.start({}, createLog('silent'), { now: () => Date.now() + aheadMs })
    t.after(() => fixture.stop())
    const other = new Shop(fixture.url, browser)
    await other.open()
    const page = await other.visit(await other.invoice('250'), {}, (opened) => opened.clock.install())
    assert.match((await page.locator('#timer').textContent()) ?? '', /^(1:00:00|0:59:5\d)$/)
    await page.clock.runFor(EXPIRY_MS / 2)
    assert.match((await page.locator('#timer').textContent()) ?? '', /^(0:30:00|0:29:5\d)$/)
    aheadMs = EXPIRY_MS
    await page.clock.runFor(EXPIRY_MS / 2)
    await saysLater(page, 'This invoice is no longer payable.')
    assert.equal(await page.locator('.address').count(), 0)
    await page.context().close()
  })

  test('recovers after a restart of the service, from what it saw last', async (t) => {
    const road = await Road.start(port)
    t.after(() => road.close())
    const page = await shop.visit(`${road.url}${await shop.invoice('300')}`)
    await choose(page)
    await shop.deposit('pending', '1000000', 'c')
    await says(page, '1 USDT seen')
    await choose(page)
    const version = await page.locator('main').getAttribute('data-version')
    await service.stop()
    service = await start()
    await shop.deposit('pending', '2000000', 'd')
    await says(page, '3 USDT seen')
    assert.equal(await page.evaluate(PLACE), CHOSEN)
    const asked = [...road.sent.matchAll(/^last-event-id: (\S+)/gim)].map(([, id]) => id)
    assert.ok(asked.length > 0 && asked.every((id) => id === version), `${asked} instead of ${version}`)
    await page.context().close()
  })

  for (const [what, status, pattern] of [
    ['a proxy answers 502', 502, PAGES],
    ['a proxy answers 502 for its events alone', 502, EVENTS],
    ['it asks too often', 429, PAGES],
    ['there is no room for its events', 503, EVENTS],
  ] as const) {
    test(`recovers by itself while ${what}`, async () => {
      const amount = String(400 + 10 * status + pattern.length)
      const page = await shop.visit(await shop.invoice(amount), {}, (opened) => opened.clock.install())
      await choose(page)
      let refusals = 0
      await page.route(pattern, (route) => {
        refusals += 1
        return route.fulfill({ status })
      })
      // A stream that has ended is asked for again.
      await page.evaluate(
        "dispatchEvent(new Event('pagehide')); dispatchEvent(new PageTransitionEvent('pageshow', { persisted: true }))",
      )
      while (refusals < 3) await page.clock.runFor(1000)
      await shop.deposit('pending', '1000000', `${status} ${pattern}`)
      await page.unroute(pattern)
      await saysLater(page, '1 USDT seen')
      assert.equal(await page.evaluate(PLACE), CHOSEN)
      await page.context().close()
    })
  }

  test('asks more and more seldom while its events are refused, though the page is not', async () => {
    let refusals = 0
    const page = await shop.visit(await shop.invoice('500'), {}, async (opened) => {
      await opened.clock.install()
      await opened.route(EVENTS, (route) => {
        refusals += 1
        return route.fulfill({ status: 503 })
      })
    })
    for (let second = 0; second < 120; second += 1) {
      await page.clock.runFor(1000)
      await page.evaluate('fetch(location.href, { method: "HEAD" })')
    }
    // After 1, 2, 4, 8, 16, 30, 30 … seconds, each up to a half more or less.
    assert.ok(refusals >= 4 && refusals <= 16, `${refusals} requests in two minutes`)
    await page.context().close()
  })

  test('notices after sleep that nobody hears it, and connects again', async (t) => {
    const road = await Road.start(port)
    t.after(() => road.close())
    const page = await shop.visit(`${road.url}${await shop.invoice('600')}`, {}, (opened) => opened.clock.install())
    await choose(page)
    road.silence()
    await shop.deposit('pending', '1000000', 'e')
    await saysLater(page, '1 USDT seen')
    assert.equal(await page.evaluate(PLACE), CHOSEN)
    await page.context().close()
  })

  test('gives up a page that does not come, and asks again', async () => {
    const path = await shop.invoice('700')
    const page = await shop.visit(path, {}, (opened) => opened.clock.install())
    const lost = deferred<void>()
    let requests = 0
    await page.route(`**${path}`, (route) => {
      requests += 1
      return requests > 1 ? route.continue() : lost.resolve()
    })
    await shop.deposit('pending', '1000000', 'f')
    await lost.promise
    await saysLater(page, '1 USDT seen', STEP_MS)
    await page.context().close()
  })

  test('does not go back when an older answer arrives late', async () => {
    const path = await shop.invoice('800')
    const page = await shop.visit(path)
    const fetched = deferred<void>()
    const release = deferred<void>()
    let requests = 0
    await page.route(`**${path}`, async (route) => {
      requests += 1
      if (requests > 1) return route.continue()
      const response = await route.fetch()
      fetched.resolve()
      await release.promise
      return route.fulfill({ response })
    })
    await shop.deposit('pending', '1000000', 'g')
    await fetched.promise
    await shop.deposit('pending', '2000000', 'h')
    await says(page, '3 USDT seen')
    const late = page.waitForResponse(`**${path}`)
    release.resolve()
    await (await late).finished()
    await page.evaluate('fetch(location.href, { method: "HEAD" })')
    assert.match((await page.locator('#status').textContent()) ?? '', /^3 USDT seen/)
    await page.context().close()
  })

  test('without a script reloads itself', async () => {
    const page = await shop.visit(await shop.invoice('900'), { javaScriptEnabled: false }, (opened) =>
      opened.route(PAGES, async (route) => {
        const response = await route.fetch()
        const body = (await response.text()).replace('content="10"', 'content="1"')
        await route.fulfill({ response, body })
      }),
    )
    await shop.deposit('pending', '1000000', 'i')
    await says(page, '1 USDT seen')
    await page.context().close()
  })
})
