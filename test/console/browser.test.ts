import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import axe from 'axe-core'
import type { Browser, Page } from 'playwright-core'
import { launchBrowser } from '../support/browser.js'
import { noBrowser } from '../support/chromium.js'
import { openReceiver, type Receiver } from '../support/receiver.js'
import { testKey } from '../support/signing.js'
import { ConsoleFixture, OWNER, WALLET } from './console-fixture.js'
import { formIn } from './forms.js'

/** More than any step needs, so that a broken one has a name. */
const PATIENCE_MS = 10_000
/** A script, and text that would be read backwards. */
const HOSTILE = '<script>document.title = "taken over"</script>\u202egpj.exe'

describe('the console in a browser', { skip: noBrowser }, () => {
  let console: ConsoleFixture
  let browser: Browser
  let receiver: Receiver
  let invoice = ''
  let order = ''
  let stop = async () => {}

  before(async () => {
    const ends: (() => void | Promise<void>)[] = []
    stop = async () => {
      for (const end of ends.reverse()) await end()
    }
    console = await ConsoleFixture.start({ after: (end) => ends.push(end) })
    receiver = await openReceiver((_request, response) => response.writeHead(500).end())
    ends.push(() => receiver.close())
    await console.service.assign(OWNER, WALLET)
    await console.service.register(OWNER, testKey('a'))
    const callbackUrl = `${receiver.url}/a-path-that-is-rather-long-for-a-narrow-screen`
    invoice = await console.invoice({ reference: 'order-1', callbackUrl, description: 'Green tea' })
    const options = [{ walletIds: [WALLET.id], currency: 'native', amount: '0.123456789012345678' }]
    const made = { owner: OWNER, price: { amount: '25.00', currency: 'EUR' }, options, name: 'Tea', orderNumber: 'A-7' }
    order = (await console.service.post('/api/orders', made)).json.id
    await console.deposit(`0x${'f'.repeat(64)}`, '4000000', 'deposit.pending')
    await receiver.received(1)
    const { path, fields } = formIn((await console.page(`/console/invoices/${invoice}`)).html, '/notes')
    const text = `${HOSTILE}\nasked twice ${'x'.repeat(80)}`
    assert.equal((await console.visit(path, { ...fields, text })).status, 303)
    browser = await launchBrowser()
  })

  after(async () => {
    await browser?.close()
    await stop()
  })

  async function opened(options: Parameters<Browser['newContext']>[0] = {}): Promise<Page> {
    const context = await browser.newContext({ viewport: { width: 320, height: 640 }, ...options })
    const page = await context.newPage()
    page.setDefaultTimeout(PATIENCE_MS)
    await page.goto(`${console.url}/console`)
    return page
  }

  /** No violation of WCAG 2.2 AA, and nothing wider than the screen. */
  async function assertAccessible(page: Page): Promise<void> {
    const rules = "{ runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'] }"
    const found = await page.evaluate(
      `${axe.source}; axe.run(document, ${rules}).then(({ violations }) => violations.map(({ id, nodes }) => id + ' ' + nodes[0].target))`,
    )
    assert.deepEqual(found, [], page.url())
    assert.equal(
      await page.evaluate('document.documentElement.scrollWidth <= innerWidth'),
      true,
      `${page.url()} is too wide`,
    )
    assert.equal(
      await page.evaluate("[...document.querySelectorAll('main')].every((one) => one.scrollWidth <= one.clientWidth)"),
      true,
      `something on ${page.url()} is wider than its card`,
    )
  }

  for (const [colorScheme, width] of [
    ['light', 320],
    ['light', 1250],
    ['dark', 1280],
  ] as const) {
    test(`is accessible on every page: ${colorScheme}, ${width} px`, async () => {
      const page = await opened({ colorScheme, bypassCSP: true, viewport: { width, height: 800 } })
      const [delivery] = (await console.page('/console/deliveries')).html.match(/\/console\/deliveries\/\w{32}/) ?? []
      const paths = [
        'orders',
        `orders/${order}`,
        'reports',
        'invoices',
        'deposits',
        'deliveries',
        'wallets',
        'keys',
        'networks',
        'nothing',
        `invoices/${invoice}`,
        'search',
        'search?q=order-1',
        'search?q=nothing',
      ]
      for (const path of ['/console', ...paths.map((one) => `/console/${one}`), delivery]) {
        await page.goto(`${console.url}${path}`)
        for (const summary of await page.locator('summary').all()) await summary.click()
        await assertAccessible(page)
      }
      await page.context().close()
    })
  }

  test('is led by the keyboard alone, without a script, and sends a webhook again', async () => {
    const page = await opened({ javaScriptEnabled: false, viewport: { width: 1280, height: 800 } })
    const focused = async () => (await page.locator(':focus').textContent()) ?? ''
    const tabTo = async (text: string) => {
      for (let steps = 0; steps < 60; steps += 1) {
        await page.keyboard.press('Tab')
        if ((await page.locator(':focus').count()) > 0 && (await focused()).includes(text)) return
      }
      assert.fail(`${text} cannot be reached`)
    }
    await page.keyboard.press('Tab')
    assert.equal(await focused(), 'Skip to the content')
    await tabTo('Deliveries')
    await page.keyboard.press('Enter')
    await page.locator('h1', { hasText: 'Deliveries' }).waitFor()
    await tabTo('…')
    await page.keyboard.press('Enter')
    await page.locator('h1', { hasText: 'Delivery ' }).waitFor()
    while (!(await page.getByText('Send again').isVisible())) await page.reload()
    await tabTo('Send again')
    await page.keyboard.press('Enter')
    await page.getByText('The webhook is queued again.').waitFor()
    await receiver.received(2)
    await page.context().close()
  })

  test('takes a note, which is shown as it was written', async () => {
    const page = await opened({ viewport: { width: 1280, height: 800 } })
    await page.goto(`${console.url}/console/invoices/${invoice}`)
    await page.getByLabel('A note').fill('one\ntwo')
    await page.getByText('Add the note').press('Enter')
    await page.getByText('The note is kept.').waitFor()
    const noted = page.locator('table', { hasText: 'asked twice' }).first()
    const texts = await noted.locator('td.lines').allInnerTexts()
    assert.deepEqual(texts, [`${HOSTILE}\nasked twice ${'x'.repeat(80)}`, 'one\ntwo'])
    assert.match(await page.title(), /^Invoice /)
    await page.getByRole('link', { name: /^Note of .*: one…$/ }).click()
    assert.equal(new URL(page.url()).hash, '#notes')
    await page.context().close()
  })

  test('sends nothing from a page of another origin, and shows it nothing', async () => {
    const page = await opened()
    const evil = await openReceiver((_request, response) => {
      const form = `<form id="f" method="post" action="${console.url}/console/invoices/${invoice}/void"><button>x</button></form>`
      response.setHeader('Content-Type', 'text/html')
      response.end(`${form}<a href="${console.url}/console/invoices">look</a>`)
    })
    await page.goto(`${evil.url.replace('127.0.0.1', 'localhost')}/`)
    await page.locator('button').click()
    await page.locator('h1', { hasText: 'Not done' }).waitFor()
    await page.goBack()
    await page.locator('a').click()
    await page.locator('h1', { hasText: 'Console' }).waitFor()
    assert.equal(await page.locator('table').count(), 0)
    await page.getByText('Open the console').click()
    await page.locator('h1', { hasText: 'Invoices' }).waitFor()
    assert.equal((await console.service.get(`/api/invoices/${invoice}`)).json.voided_at, null)
    await page.context().close()
    await evil.close()
  })
})
