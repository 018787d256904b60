import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Browser } from 'playwright-core'
import { launchBrowser } from '../../support/browser.js'
import { noBrowser } from '../../support/chromium.js'
import { ServiceFixture } from '../../support/service-fixture.js'
import { Visitor } from './visitor.js'

const KEEPS_NOTHING = /^This browser keeps nothing: a private window, no room/

/** Makes every access to the databases of a page fail, as a full disk does, until `window.isFull` is false. */
const FULL = `{
  window.isFull = false
  const { transaction } = IDBDatabase.prototype
  IDBDatabase.prototype.transaction = function (...given) {
    if (window.isFull) throw new DOMException('there is no room', 'QuotaExceededError')
    return transaction.apply(this, given)
  }
}`

describe('the storage of a browser', { skip: noBrowser, timeout: 180_000 }, () => {
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

  async function opensShop(t: { after(end: () => Promise<void>): void }): Promise<Visitor> {
    const visitor = await Visitor.arrive(service.url, browser)
    t.after(() => visitor.leave())
    await visitor.context.addInitScript(FULL)
    await visitor.page.reload()
    await visitor.becomesMerchant()
    await visitor.sees('Invoices')
    await visitor.getsWallets('Ethereum Sepolia', 1)
    return visitor
  }

  test('that is full is told, nothing is sent, and the app goes on when there is room', async (t) => {
    const visitor = await opensShop(t)
    const { page } = visitor
    await page.evaluate('window.isFull = true')
    await visitor.invoices('Tea', '3')
    await page.locator('main .failure', { hasText: KEEPS_NOTHING }).waitFor()
    // Looked at again, the app sends what has no answer.
    await page.evaluate(`dispatchEvent(new Event('online'))`)
    await page.locator('header .failure', { hasText: KEEPS_NOTHING }).waitFor()
    await page.evaluate('window.isFull = false')
    await page.evaluate(`dispatchEvent(new Event('online'))`)
    await page.locator('header .failure').waitFor({ state: 'detached' })
    await visitor.press('Create')
    await visitor.sees('3 USDT')
    await visitor.press('Simulate the payment')
    await page.locator('main [data-state=paid]').waitFor()
  })

  test('that is removed while the shop is open is made anew, and the shop goes on', async (t) => {
    const visitor = await opensShop(t)
    const { page } = visitor
    await page.evaluate(`(async () => {
      for (const { name } of await indexedDB.databases()) {
        await new Promise((resolve, reject) => {
          const request = indexedDB.deleteDatabase(name)
          request.onsuccess = resolve
          request.onerror = reject
          request.onblocked = () => reject(new Error('somebody keeps it open'))
        })
      }
    })()`)
    await visitor.invoices('After it', '4')
    await visitor.sees('4 USDT')
    await visitor.press('Simulate the payment')
    await page.locator('main [data-state=paid]').waitFor()
    assert.deepEqual(visitor.complaints, [])
  })

  test('that there is none of is told instead of an empty page', async (t) => {
    const context = await browser.newContext()
    t.after(() => context.close())
    const page = await context.newPage()
    await page.addInitScript(`indexedDB.open = () => { throw new DOMException('denied', 'SecurityError') }`)
    await page.goto(`${service.url}/app`)
    await page.locator('.failure', { hasText: KEEPS_NOTHING }).waitFor()
  })
})
