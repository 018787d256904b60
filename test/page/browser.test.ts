import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import axe from 'axe-core'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { launchBrowser, noBrowser } from '../support/browser.js'
import { ServiceFixture } from '../support/service-fixture.js'

/** More than any step needs, so that a broken one has a name. */
const PATIENCE_MS = 10_000

const SEP = { id: 's', address: '0xabcd000000000000000000000000000000000001', network: 'SEP' }
const NILE = { id: 'n', address: 'TXYZopYRdj2D9XRtbG411XZZ3kM5VkAeBf', network: 'TRX-NILE' }

describe('the payment page in a browser', { skip: noBrowser }, () => {
  let fixture: ServiceFixture
  let browser: Browser
  let deposits = 0

  before(async () => {
    fixture = await ServiceFixture.start()
    await fixture.assign('shop', SEP, NILE)
    browser = await launchBrowser()
  })

  after(async () => {
    await browser?.close()
    await fixture?.stop()
  })

  async function invoice(amount: string): Promise<string> {
    const body = { owner: 'shop', walletIds: ['s', 'n'], name: 'Tea', amount, currency: 'USDT', expiresInSeconds: 3600 }
    const created = await fixture.post('/api/invoices', body)
    assert.equal(created.status, 201, created.text)
    return `${fixture.url}${created.json.url}`
  }

  async function deposit(type: 'pending' | 'confirmed', amount: string): Promise<void> {
    deposits += 1
    const receivedAt = Date.now()
    const [result] = await fixture.push({
      id: `deposit ${deposits}`,
      type: `deposit.${type}`,
      deposit: {
        network: 'SEP',
        // As explorers know them, so that they are links.
        txHash: `0x${String(deposits).padStart(64, '0')}`,
        toAddress: SEP.address,
        currency: 'Tether',
        amount,
        receivedAt,
      },
    })
    assert.equal(result?.status, 'applied')
  }

  async function opened(url: string, options: Parameters<Browser['newContext']>[0] = {}): Promise<Page> {
    const context: BrowserContext = await browser.newContext({ viewport: { width: 320, height: 640 }, ...options })
    const page = await context.newPage()
    page.setDefaultTimeout(PATIENCE_MS)
    await page.goto(url)
    return page
  }

  function says(page: Page, text: string): Promise<void> {
    return page.locator('#status', { hasText: text }).waitFor()
  }

  /** No violation of WCAG 2.2 AA, and nothing wider than the screen. */
  async function assertAccessible(page: Page): Promise<void> {
    const rules = "{ runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'] }"
    const found = await page.evaluate(
      `${axe.source}; axe.run(document, ${rules}).then(({ violations }) => violations.map(({ id, nodes }) => id + ' ' + nodes[0].target))`,
    )
    assert.deepEqual(found, [])
    assert.equal(await page.evaluate('document.documentElement.scrollWidth <= innerWidth'), true, 'it is too wide')
  }

  for (const colorScheme of ['light', 'dark'] as const) {
    for (const lang of ['en', 'ar'] as const) {
      test(`is accessible in every state at 320 px: ${colorScheme}, ${lang}`, async () => {
        const page = await opened(`${await invoice(`2${deposits}`)}?lang=${lang}`, { colorScheme, bypassCSP: true })
        await assertAccessible(page)
        for (const amount of ['1000000', '90000000', '900000000']) {
          await deposit('pending', amount)
          await page.reload()
          await assertAccessible(page)
        }
        await deposit('confirmed', '900000000')
        await page.reload()
        await assertAccessible(page)
        await page.goto(`${fixture.url}/pay/x?lang=${lang}`)
        await assertAccessible(page)
        await page.context().close()
      })
    }
  }

  test('shows a deposit without losing selection, focus, network or scroll', async () => {
    const page = await opened(await invoice('10000'))
    await page.getByText('TRON Nile').first().click()
    await page.locator('.panel:visible .copy').focus()
    await page.evaluate('scrollTo(0, 150); getSelection().selectAllChildren(document.querySelectorAll(".address")[1])')
    const place = 'JSON.stringify([scrollY > 0, String(getSelection()), document.activeElement.dataset.copy])'
    const was = await page.evaluate(place)
    await deposit('pending', '1000000')
    await says(page, '1 USDT seen, 9,999 USDT more to send')
    assert.equal(await page.evaluate(place), was)
    assert.equal(was, JSON.stringify([true, NILE.address, NILE.address]))
    await page.reload()
    assert.equal(await page.locator('input:checked').inputValue(), 'TRX-NILE')
    await page.context().close()
  })

  test('copies the address as one word, and says so', async () => {
    const page = await opened(await invoice('20000'), { permissions: ['clipboard-read', 'clipboard-write'] })
    await page.locator('.panel:visible .copy').click()
    await page.locator('#said', { hasText: 'Copied' }).waitFor({ state: 'attached' })
    assert.equal(await page.evaluate('navigator.clipboard.readText()'), SEP.address)
    await page.context().close()
  })

  test('lists its transactions, and lets none of their links tell where they are on', async () => {
    const page = await opened(await invoice('50000'), { javaScriptEnabled: false })
    await deposit('pending', '1000000')
    await page.reload()
    const link = page.getByRole('link', { name: /^0x00000000…\w{8} \(block explorer, in a new tab\)$/ }).first()
    let referrer: string | undefined = 'none was asked'
    await page.context().route('https://sepolia.etherscan.io/**', (route) => {
      referrer = route.request().headers()['referer']
      return route.fulfill({ body: 'the explorer' })
    })
    const [tab] = await Promise.all([page.waitForEvent('popup'), link.click()])
    await tab.waitForLoadState()
    assert.match(tab.url(), /^https:\/\/sepolia\.etherscan\.io\/tx\/0x[0-9a-f]{64}$/)
    assert.deepEqual([referrer, await tab.evaluate('window.opener')], [undefined, null])
    await page.context().close()
  })

  test('works without a script: one network at a time, nothing to press that does nothing', async () => {
    const page = await opened(await invoice('30000'), { javaScriptEnabled: false })
    assert.equal(await page.locator('.panel:visible').count(), 1)
    await page.getByText('TRON Nile').first().click()
    assert.equal(await page.locator('.panel:visible .address').textContent(), NILE.address)
    assert.equal(await page.locator('button:visible').count(), 0)
    await page.context().close()
  })

  test('recovers by itself while a proxy answers 502', async () => {
    const page = await opened('about:blank')
    let isBroken = true
    await page.route('**/events**', (route) => (isBroken ? route.fulfill({ status: 502 }) : route.continue()))
    await page.goto(await invoice('40000'))
    await page.waitForResponse((answer) => answer.status() === 502)
    isBroken = false
    await deposit('pending', '1000000')
    await says(page, '1 USDT seen')
    await page.context().close()
  })
})
