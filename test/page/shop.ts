import assert from 'node:assert/strict'
import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { gatewayHeaders } from '../support/service-fixture.js'

/** More than any step needs, so that a broken one has a name. */
const PATIENCE_MS = 10_000

export const SEP = { id: 's', address: '0xabcd000000000000000000000000000000000001', network: 'SEP' }
export const NILE = { id: 'n', address: 'TXYZopYRdj2D9XRtbG411XZZ3kM5VkAeBf', network: 'TRX-NILE' }

/** Of every invoice. */
export const EXPIRY_MS = 3_600_000

/** A shop whose invoices are paid while a browser shows them. */
export class Shop {
  private events = 0
  private last: string | null = null

  constructor(
    private readonly url: string,
    private readonly browser: Browser,
    private readonly now: () => number = Date.now,
  ) {}

  /** Makes its wallets known. Call first. */
  async open(): Promise<void> {
    for (const wallet of [SEP, NILE]) {
      await this.push({ type: 'wallet.created', wallet })
      await this.push({ type: 'wallet.assigned', wallet: { id: wallet.id }, owner: 'shop' })
    }
  }

  /** Creates an invoice in USDT and answers the path of its page. The one before is void then, if it is unpaid: a part would be its. */
  async invoice(amount: string): Promise<string> {
    if (this.last !== null) await this.ask(`/api/invoices/${this.last}/void`, '{"owner":"shop"}')
    const expiresInSeconds = EXPIRY_MS / 1000
    const body = { owner: 'shop', walletIds: ['s', 'n'], name: 'Tea', amount, currency: 'USDT', expiresInSeconds }
    const { id, url } = await this.post('/api/invoices', JSON.stringify(body))
    this.last = String(id)
    return String(url)
  }

  async void(page: string): Promise<void> {
    await this.post(`/api/invoices/${page.split('/').pop()}/void`, '{"owner":"shop"}')
  }

  /** Both types with the same `id` are one deposit. */
  async deposit(
    type: 'pending' | 'confirmed',
    amount: string,
    id = String(this.events),
    currency: 'Tether' | '#native' = 'Tether',
  ): Promise<void> {
    const receivedAt = this.now()
    const toAddress = SEP.address
    // As explorers know them, so that they are links.
    const txHash = `0x${id.padStart(64, '0')}`
    const deposit = { network: 'SEP', txHash, toAddress, currency, amount, receivedAt }
    await this.push({ type: `deposit.${type}`, deposit })
  }

  /** Opens a page on a narrow phone; `open` may prepare it. */
  async visit(
    url: string,
    options: BrowserContextOptions = {},
    prepare: (page: Page) => Promise<unknown> = async () => undefined,
  ): Promise<Page> {
    const context = await this.browser.newContext({ viewport: { width: 320, height: 640 }, ...options })
    const page = await context.newPage()
    page.setDefaultTimeout(PATIENCE_MS)
    await prepare(page)
    await page.goto(new URL(url, this.url).href)
    return page
  }

  private async push(event: Readonly<Record<string, unknown>>): Promise<void> {
    this.events += 1
    const body = JSON.stringify({ events: [{ id: `event ${this.events}`, ...event }] })
    const { results } = await this.post('/internal/events', body, gatewayHeaders(String(this.now()), body))
    assert.equal((results as { status: string }[])[0]?.status, 'applied', JSON.stringify(results))
  }

  private ask(path: string, body: string, headers: Record<string, string> = {}): Promise<Response> {
    const sent = { 'Content-Type': 'application/json', ...headers }
    return fetch(new URL(path, this.url), { method: 'POST', headers: sent, body })
  }

  private async post(path: string, body: string, headers: Record<string, string> = {}) {
    const answer = await this.ask(path, body, headers)
    const text = await answer.text()
    assert.ok(answer.ok, text)
    return JSON.parse(text) as Record<string, unknown>
  }
}

/** Resolves when the page says so. */
export function says(page: Page, text: string): Promise<void> {
  return page.locator('#status', { hasText: text }).waitFor()
}
