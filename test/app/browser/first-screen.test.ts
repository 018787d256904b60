import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Browser } from 'playwright-core'
import { launchBrowser } from '../../support/browser.js'
import { noBrowser } from '../../support/chromium.js'
import { ServiceFixture } from '../../support/service-fixture.js'
import { firstScreenOf } from '../figures/first-screen.js'
import { Visitor } from './visitor.js'

const API_AND_KEYS = /\/api\/|\/app\/keys-/
/** Fast enough to be over soon. Figures are measured by `figures/run.ts`. */
const FAST = { name: 'here', slowdown: 1, latencyMs: 0, bytesPerSecond: 1e9 }

describe('the first screen of the web wallet', { skip: noBrowser, timeout: 120_000 }, () => {
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

  test('waits for no answer of the API and not for the thread of the keys, and goes on when they come', async (t) => {
    const context = await browser.newContext()
    t.after(() => context.close())
    const page = await context.newPage()
    const held: (() => void)[] = []
    let isHeld = true
    await page.route(API_AND_KEYS, async (route) => {
      if (isHeld) await new Promise<void>((resolve) => held.push(resolve))
      await route.continue()
    })
    await page.goto(`${service.url}/app`)
    await page.getByRole('heading', { level: 1, name: 'Your shop' }).waitFor()
    await page.getByRole('button', { name: /^Create a new identity/ }).click()
    await page.getByText('Loading …').waitFor()
    assert.ok(held.length > 0)
    isHeld = false
    for (const release of held) release()
    await page.locator('.words li').nth(11).waitFor()
  })

  test('is asked for in two steps: the page, and everything that it needs', async () => {
    const { bytes, requests, screenMs, firstPaintMs } = await firstScreenOf(browser, service.url, FAST, 'en')
    assert.ok(requests > 0 && bytes > 0)
    assert.ok(firstPaintMs <= screenMs)
    const page = await (await fetch(`${service.url}/app`)).text()
    const named = new Set([...page.matchAll(/app\/([\w-]+\.js)/g)].map(([, file]) => file))
    const imported = async (file: string) => {
      const script = await (await fetch(`${service.url}/app/${file}`)).text()
      // What is imported when it is needed has parentheses.
      return [...script.matchAll(/(?:import|export)\s*(?:[\w*{}\s,$]+from)?\s*"\.\/([\w-]+\.js)"/g)].map(
        ([, name]) => name,
      )
    }
    assert.ok(named.size > 0)
    for (const file of named) {
      for (const other of await imported(file ?? '')) assert.ok(named.has(other), `${file} needs ${other}`)
    }
  })

  test('of a shop that is there asks for its passphrase, and opens when the service answers', async (t) => {
    const visitor = await Visitor.arrive(service.url, browser)
    t.after(() => visitor.leave())
    await visitor.becomesMerchant()
    await visitor.sees('Invoices')
    const held: (() => void)[] = []
    await visitor.context.route(/\/api\/info/, async (route) => {
      await new Promise<void>((resolve) => held.push(resolve))
      await route.continue()
    })
    await visitor.page.reload()
    await visitor.unlocks()
    await visitor.sees('Preparing your shop')
    for (const release of held) release()
    await visitor.sees('Invoices')
  })

  test('says in words that the service is away, also to somebody who opened the shop meanwhile', async (t) => {
    const visitor = await Visitor.arrive(service.url, browser)
    t.after(() => visitor.leave())
    await visitor.becomesMerchant()
    await visitor.sees('Invoices')
    await visitor.context.route(/\/api\//, (route) => route.abort())
    await visitor.page.reload()
    await visitor.sees('Locked')
    await visitor.reads('The service cannot be reached. Look whether you are online, and try again.')
    await visitor.context.unrouteAll({ behavior: 'ignoreErrors' })
    await visitor.press('Try again')
    await visitor.unlocks()
    await visitor.sees('Invoices')
  })

  test('says in words that the thread of the keys did not come', async (t) => {
    const visitor = await Visitor.arrive(service.url, browser, {}, async (page) => {
      await page.route(/\/app\/keys-/, (route) => route.abort())
    })
    t.after(() => visitor.leave())
    await visitor.page.getByRole('button', { name: /^Create a new identity/ }).click()
    await visitor.reads('The service cannot be reached. Look whether you are online, and try again.')
    await visitor.page.unroute(/\/app\/keys-/)
    await visitor.press('Try again')
    await visitor.becomesMerchant()
    await visitor.sees('Invoices')
  })
})
