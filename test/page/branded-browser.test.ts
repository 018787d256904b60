import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import axe from 'axe-core'
import type { Browser, Page } from 'playwright-core'
import { launchBrowser } from '../support/browser.js'
import { noBrowser } from '../support/chromium.js'
import { ServiceFixture } from '../support/service-fixture.js'
import { temporaryDirectory } from '../support/temporary-directory.js'

/** More than any step needs, so that a broken one has a name. */
const PATIENCE_MS = 10_000

const STATUS_GROUND = 'getComputedStyle(document.getElementById("status")).backgroundColor'
const WIDTH = "(image => image.decode().then(() => image.naturalWidth))(document.querySelector('.brand img'))"

/** An SVG that does what one can try, at `elsewhere`. */
function hostileLogo(elsewhere: string): string {
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 240 48" width="240" height="48" onload="document.title='ran'">
<style>@import url('${elsewhere}/spy-style'); .a { fill: #b5121b; }</style><rect class="a" width="240" height="48"/>
<script>document.title = 'ran'; fetch('${elsewhere}/spy-script')</script>
<image href="${elsewhere}/spy-image" width="9" height="9"/></svg>`
}

describe('a branded page in a browser', { skip: noBrowser }, () => {
  const place = temporaryDirectory()
  let fixture: ServiceFixture
  let browser: Browser
  /** A page that frames the payment page; the settings list its name 127.0.0.1, but not localhost. */
  let shop: Server
  let shopPort = 0
  const visits: (string | undefined)[] = []

  before(async () => {
    shop = createServer((request, response) => {
      visits.push(request.url)
      response.setHeader('Content-Type', 'text/html')
      response.end(`<!doctype html><title>Shop</title><iframe src="${fixture.url}/pay/x" width="400"></iframe>`)
    })
    await new Promise<void>((resolve) => shop.listen(0, () => resolve()))
    shopPort = (shop.address() as AddressInfo).port
    const logo = join(place.path, 'logo.svg')
    writeFileSync(logo, hostileLogo(`http://127.0.0.1:${shopPort}`))
    fixture = await ServiceFixture.start({
      BILLHOOK_PAGE_NAME: 'Tea <b>House</b>',
      BILLHOOK_PAGE_LOGO: logo,
      BILLHOOK_PAGE_ACCENT: '#ffd600',
      BILLHOOK_PAGE_RETURN_URL: `http://127.0.0.1:${shopPort}/back`,
      BILLHOOK_PAGE_SUPPORT: 'mailto:help@shop.example',
      BILLHOOK_PAGE_FRAME_ANCESTORS: `http://127.0.0.1:${shopPort}`,
    })
    browser = await launchBrowser()
  })

  after(async () => {
    await browser?.close()
    await fixture?.stop()
    shop?.close()
    place.remove()
  })

  async function paidInvoice(): Promise<string> {
    const wallet = { id: 'w', address: '0xabcd000000000000000000000000000000000001', network: 'SEP' }
    await fixture.assign('shop', wallet)
    const body = { owner: 'shop', walletIds: ['w'], name: 'Tea', amount: '1', currency: 'USDT' }
    const created = await fixture.post('/api/invoices', body)
    const { address: toAddress, network } = wallet
    const deposit = {
      network,
      txHash: '0x1',
      toAddress,
      currency: 'Tether',
      amount: '1000000',
      receivedAt: Date.now() + 1,
    }
    const [result] = await fixture.push({ id: 'paid', type: 'deposit.confirmed', deposit })
    assert.equal(result?.status, 'applied')
    return `${fixture.url}${created.json.url}`
  }

  async function opened(url: string, options: Parameters<Browser['newContext']>[0] = {}): Promise<Page> {
    const context = await browser.newContext({ viewport: { width: 320, height: 640 }, ...options })
    const page = await context.newPage()
    page.setDefaultTimeout(PATIENCE_MS)
    await page.goto(url)
    return page
  }

  for (const colorScheme of ['light', 'dark'] as const) {
    test(`is accessible at 320 px in an accent that is yellow: ${colorScheme}`, async () => {
      const page = await opened(`${fixture.url}/pay/x?lang=ar`, { colorScheme, bypassCSP: true })
      const rules = "{ runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'] }"
      const found = await page.evaluate(
        `${axe.source}; axe.run(document, ${rules}).then(({ violations }) => violations.map(({ id, nodes }) => id + ' ' + nodes[0].target))`,
      )
      assert.deepEqual(found, [])
      assert.equal(await page.evaluate('document.documentElement.scrollWidth <= innerWidth'), true, 'it is too wide')
      await page.context().close()
    })
  }

  test('draws the logo, which runs nothing, on the page and by itself, and asks nobody else', async () => {
    const page = await opened(`${fixture.url}/pay/x`)
    const logo = page.getByRole('img', { name: 'Tea <b>House</b>' })
    await logo.waitFor()
    assert.equal(await page.evaluate(WIDTH), 240)
    assert.equal(await page.title(), 'Invoice not found · Tea <b>House</b>')
    await page.goto(new URL((await logo.getAttribute('src')) ?? '', `${fixture.url}/pay/`).href)
    assert.equal(await page.evaluate('document.documentElement.localName'), 'svg')
    assert.notEqual(await page.title(), 'ran')
    assert.equal(await page.evaluate('getComputedStyle(document.querySelector("rect")).fill'), 'rgb(181, 18, 27)')
    assert.deepEqual(visits, [])
    await page.context().close()
  })

  test('prints a paid page as a receipt, and says so without a script', async () => {
    const url = await paidInvoice()
    const page = await opened(url)
    await page.evaluate('window.print = () => document.title = "printed"')
    await page.getByRole('button', { name: 'Print receipt' }).click()
    assert.equal(await page.title(), 'printed')
    const receipt = page.locator('.receipt')
    assert.equal(await receipt.isVisible(), false)
    await page.emulateMedia({ media: 'print', colorScheme: 'dark' })
    assert.ok(await receipt.getByText('Paid to').isVisible())
    assert.equal(await page.getByText('Transactions seen').locator('visible=true').count(), 1)
    assert.equal(await page.locator('button:visible, .back:visible, footer:visible').count(), 0)
    assert.equal(await page.evaluate(STATUS_GROUND), 'rgb(226, 246, 233)')
    const plain = await opened(url, { javaScriptEnabled: false })
    assert.equal(await plain.locator('button:visible').count(), 0)
    assert.equal(await plain.getByText('Print this page to get a receipt.').isVisible(), true)
    await page.context().close()
    await plain.context().close()
  })

  for (const [host, isFramed] of [
    ['127.0.0.1', true],
    ['localhost', false],
  ] as const) {
    test(`is ${isFramed ? '' : 'not '}shown in a frame of ${host}`, async () => {
      const page = await opened(`http://${host}:${shopPort}/`)
      const frame = page.frames()[1] ?? assert.fail('there is no frame')
      assert.equal(await frame.getByRole('heading', { name: 'Invoice not found' }).count(), isFramed ? 1 : 0)
      if (isFramed) {
        await frame.getByRole('link', { name: 'Back to' }).click()
        await page.waitForURL('**/back')
      }
      await page.context().close()
    })
  }
})
