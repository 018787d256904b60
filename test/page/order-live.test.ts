import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { createLog } from '../../src/log.js'
import { launchBrowser } from '../support/browser.js'
import { noBrowser } from '../support/chromium.js'
import { ServiceFixture } from '../support/service-fixture.js'
import { says } from './shop.js'

const OWNER = 'shop'
const PATIENCE_MS = 10_000
const MINUTE_MS = 60_000
const RETURN_URL = 'https://shop.example/cart'

const address = (n: number) => `0xabcd${String(n).padStart(36, '0')}`

describe('the page of an order, live', { skip: noBrowser }, () => {
  let fixture: ServiceFixture
  let browser: Browser
  let orders = 0
  let deposits = 0

  before(async () => {
    fixture = await ServiceFixture.start()
    browser = await launchBrowser()
  })

  after(async () => {
    await browser?.close()
    await fixture?.stop()
  })

  interface OrderMade {
    readonly id: string
    readonly path: string
    readonly invoices: readonly { readonly id: string; readonly url: string }[]
    pay(kind: 'pending' | 'confirmed', currency: 'Tether' | '#native', amount: string, hash?: string): Promise<void>
  }

  /** An order of 25 euros for 27.18 USDT or 0.0085 ETH, each on a wallet of its own. */
  async function order(more: Readonly<Record<string, unknown>> = {}, at = fixture): Promise<OrderMade> {
    orders += 1
    const [usdt, ether] = [
      { id: `usdt-${orders}`, address: address(2 * orders), network: 'SEP' },
      { id: `ether-${orders}`, address: address(2 * orders + 1), network: 'SEP' },
    ]
    await at.assign(OWNER, usdt, ether)
    const options = [
      { walletIds: [usdt.id], currency: 'USDT', amount: '27.18' },
      { walletIds: [ether.id], currency: 'native', amount: '0.0085' },
    ]
    const body = { owner: OWNER, price: { amount: '25.00', currency: 'EUR' }, options, name: 'Tea', ...more }
    const { status, json } = await at.post('/api/orders', body)
    assert.equal(status, 201, JSON.stringify(json))
    const pay: OrderMade['pay'] = async (kind, currency, amount, hash) => {
      deposits += 1
      const txHash = `0x${(hash ?? String(deposits)).padStart(64, '0')}`
      const toAddress = currency === 'Tether' ? usdt.address : ether.address
      const deposit = { network: 'SEP', txHash, toAddress, currency, amount, receivedAt: Date.now() }
      const [told] = await at.push({ id: `deposit ${deposits}`, type: `deposit.${kind}`, deposit })
      assert.equal(told?.status, 'applied', JSON.stringify(told))
    }
    return { id: json.id, path: json.url, invoices: json.invoices, pay }
  }

  async function visit(path: string, options: BrowserContextOptions = {}): Promise<Page> {
    const context = await browser.newContext({ viewport: { width: 320, height: 640 }, ...options })
    const page = await context.newPage()
    page.setDefaultTimeout(PATIENCE_MS)
    await page.goto(`${fixture.url}${path}`)
    return page
  }

  const figure = (page: Page) => page.locator('.amount bdi').textContent()

  test('is paid in two coins, half each, and goes from nothing over what is left to paid', async () => {
    const one = await order()
    const page = await visit(one.path)
    const told: string[] = []
    page.on('console', (message) => told.push(message.text()))
    await page.evaluate('window.isSame = true')
    await one.pay('confirmed', 'Tether', '13590000')
    await says(page, '13.59 USDT seen, 13.59 USDT more to send')
    await page.locator('.choice a', { hasText: '0.00425 ETH' }).click()
    await says(page, '13.59 USDT seen, 0.00425 ETH more to send')
    await page.evaluate('window.isSame = true')
    await one.pay('pending', '#native', '0.00425', 'e1')
    await says(page, '13.59 USDT and 0.00425 ETH seen, nothing more to send')
    assert.equal(await page.locator('.address, .choice, .qr').count(), 0, 'nobody is asked to pay twice')
    await one.pay('confirmed', '#native', '0.00425', 'e1')
    await says(page, 'Paid. Nothing more is due.')
    assert.equal(await page.title(), 'Paid: Tea')
    assert.equal(await page.evaluate('window.isSame'), true, 'without loading the page again')
    assert.deepEqual(
      told.filter((text) => /Content Security Policy/.test(text)),
      [],
    )
    await page.context().close()
  })

  test('hears of what comes for an option that it does not show', async () => {
    const one = await order()
    const page = await visit(`${one.path}?option=2`)
    assert.equal(await figure(page), '0.0085 ETH')
    await one.pay('pending', 'Tether', '27180000')
    await says(page, '27.18 USDT seen, nothing more to send')
    await page.context().close()
  })

  test('says so when two options were paid at once, in the coin that came second', async () => {
    const one = await order()
    const page = await visit(one.path)
    await one.pay('pending', '#native', '0.0085', 'b1')
    await one.pay('confirmed', 'Tether', '27180000')
    await says(page, 'Paid. 0.0085 ETH too much was seen.')
    await one.pay('confirmed', '#native', '0.0085', 'b1')
    await says(page, 'too much was received.')
    await page.context().close()
  })

  test('shows no address when its time is over, and leads back to the shop', async (t) => {
    let aheadMs = 0
    const other = await ServiceFixture.start({}, createLog('silent'), { now: () => Date.now() + aheadMs })
    t.after(() => other.stop())
    const one = await order({ expiresInSeconds: 600, returnUrl: RETURN_URL }, other)
    const context = await browser.newContext({ viewport: { width: 320, height: 640 } })
    const page = await context.newPage()
    await page.clock.install()
    await page.goto(`${other.url}${one.path}`)
    assert.match((await page.locator('#timer').textContent()) ?? '', /^0:(10:00|09:5\d)$/)
    await page.clock.runFor(8.5 * MINUTE_MS)
    assert.ok(await page.locator('#last-call').isVisible())
    aheadMs += 10 * MINUTE_MS
    for (let step = 0; step < 10 && (await page.locator('a.button').count()) === 0; step += 1) {
      await page.clock.runFor(MINUTE_MS)
      await page
        .locator('a.button')
        .waitFor({ timeout: 500 })
        .catch(() => undefined)
    }
    assert.equal(await page.locator('a.button').getAttribute('href'), RETURN_URL)
    await says(page, 'This order can no longer be paid.')
    assert.equal(await page.locator('.address').count(), 0)
    await context.close()
  })

  test('remembers the coin for the next order, unless the address names another', async () => {
    const [first, second] = [await order(), await order()]
    const page = await visit(first.path)
    await page.locator('.choice a', { hasText: '0.0085 ETH' }).click()
    await page.waitForURL('**option=2')
    assert.equal(await figure(page), '0.0085 ETH')
    await page.goto(`${fixture.url}${second.path}`)
    await page.waitForURL(`**${second.path}?lang=en&option=2`)
    assert.equal(await figure(page), '0.0085 ETH')
    await page.goto(`${fixture.url}${second.path}?option=1`)
    assert.equal(await figure(page), '27.18 USDT')
    await page.context().close()
  })

  test('works without JavaScript by links, and keeps the choice in its address', async () => {
    const one = await order()
    const page = await visit(one.path, { javaScriptEnabled: false })
    await page.locator('.choice a', { hasText: '0.0085 ETH' }).click()
    assert.equal(await figure(page), '0.0085 ETH')
    await one.pay('confirmed', 'Tether', '13590000')
    await page.getByRole('link', { name: 'Refresh now' }).click()
    await says(page, '13.59 USDT seen, 0.00425 ETH more to send')
    await page.getByRole('link', { name: 'Deutsch' }).click()
    await says(page, '13.59 USDT eingegangen, noch zu senden: 0.00425 ETH')
    assert.match(page.url(), /\?lang=de&option=2$/)
    await page.context().close()
  })

  test('is where the page of each of its invoices leads', async () => {
    const one = await order()
    await one.pay('confirmed', 'Tether', '13590000')
    const page = await visit(`${one.invoices[1]?.url}?lang=fr`)
    assert.equal(page.url(), `${fixture.url}${one.path}?lang=fr&option=2`)
    assert.equal(await figure(page), '0.00425 ETH')
    await page.context().close()
  })
})
