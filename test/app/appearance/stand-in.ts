import assert from 'node:assert/strict'
import type { BillhookEvent, Order } from '@billhook/client'
import type { BrowserContext, Route } from 'playwright-core'
import { createRouter } from '../../../src/http/router.js'
import { appHandlers } from '../../../src/http/routes/app.js'
import type { RequestHead } from '../../../src/http/server.js'
import { routesOf } from '../../http/routes/call-route.js'
import { START_MS } from '../../support/manual-clock.js'
import { isKeyThread, withQuickVault } from '../browser/quick-vault.js'
import {
  DELIVERIES,
  EVENTS,
  FOREIGN,
  INFO,
  INVOICES,
  KEYS,
  ORDERS,
  RATES,
  TILL_ORDER,
  WALLETS,
  WEBHOOK,
} from './shop-data.js'

export const ORIGIN = 'https://billhook.example'

/** What a scene needs the service to be. */
export type Mood = 'usual' | 'empty' | 'slow' | 'away'

const resolve = createRouter(routesOf(appHandlers({ isOn: true, ledgerNodes: () => [] })), {
  onError: (error) => assert.fail(String(error)),
})

/** Answers the requests of a browser as a service with a fixed shop would: its real pages, and records that never change. */
export class StandIn {
  mood: Mood = 'usual'
  /** What the order of the till has become. */
  private tillOrder: Order = TILL_ORDER
  private readonly news: BillhookEvent[] = []

  async answerTo(context: BrowserContext): Promise<void> {
    await context.route('**', (route) => this.answer(route))
  }

  /** The customer pays. */
  payTill(): void {
    this.tillOrder = { ...TILL_ORDER, status: 'paid', paid_fraction: '1' }
    const { id, reference } = TILL_ORDER
    const nothing = { deposit: null, delivery: null, returnUrl: null, orderNumber: null, metadata: null }
    this.news.push({
      id: '1000',
      type: 'order.paid',
      at: START_MS,
      invoiceId: null,
      orderId: id,
      reference,
      ...nothing,
    })
  }

  private async answer(route: Route): Promise<void> {
    const request = route.request()
    const { pathname, search } = new URL(request.url())
    if (pathname.startsWith('/app')) return route.fulfill(await pageAt(pathname))
    if (this.mood === 'away') return route.abort()
    // A browser waits for it until it leaves the page.
    if (this.mood === 'slow' && pathname.endsWith('/exists')) return
    const found = this.recordAt(request.method(), pathname, new URLSearchParams(search))
    if (found === undefined)
      return route.fulfill({ status: 404, json: { error: 'not found', code: 'invoice_not_found' } })
    return route.fulfill({ json: found })
  }

  /** What the API answers; undefined for what there is not. */
  private recordAt(method: string, path: string, query: URLSearchParams): unknown {
    const isEmpty = this.mood === 'empty'
    if (method === 'POST') {
      if (path === '/api/api-keys') return KEYS[0]
      return path === '/api/orders' ? { id: TILL_ORDER.id, url: '/' } : undefined
    }
    if (path === '/api/info') return INFO
    if (path === '/api/rates') return RATES
    if (/^\/api\/identity\/\w+\/exists$/.test(path)) return { exists: true }
    const [, records, id = ''] = /^\/api\/(invoices|orders)\/(\w+)$/.exec(path) ?? []
    if (records === 'invoices') return [...INVOICES, FOREIGN].find((one) => one.id === id)
    if (records === 'orders') return [...ORDERS, this.tillOrder].find((one) => one.id === id)
    switch (/^\/api\/users\/\w+\/(.+)$/.exec(path)?.[1]) {
      case 'wallets':
        return isEmpty ? [] : WALLETS
      case 'invoices':
        return isEmpty
          ? []
          : INVOICES.filter(({ payment }) => (query.get('status') ?? payment.status) === payment.status)
      case 'orders':
        return isEmpty ? [] : ORDERS
      case 'api-keys':
        return KEYS
      case 'webhook':
        return WEBHOOK
      case 'webhook/deliveries':
        return DELIVERIES
      case 'events':
        return query.has('after') ? this.news.splice(0) : isEmpty ? [] : EVENTS
    }
    return undefined
  }
}

async function pageAt(path: string) {
  const head: RequestHead = {
    method: 'GET',
    path,
    query: '',
    header: () => undefined,
    requestId: 'request',
    remoteAddress: () => '192.0.2.1',
  }
  const { status, headers, body } = await resolve(head).handle({ ...head, body: Buffer.alloc(0), aborted: false })
  assert.ok(typeof body === 'string' || body instanceof Uint8Array)
  const bytes = Buffer.from(body)
  // The pictures show nothing of what a passphrase costs.
  const file = isKeyThread(path) ? Buffer.from(withQuickVault(bytes.toString('utf8'))) : bytes
  return { status, headers: { ...headers }, body: file }
}
