import assert from 'node:assert/strict'
import { type Clock, systemClock } from '../../src/clock.js'
import { createLog, type Log } from '../../src/log.js'
import { textOf } from '../page/frame.js'
import { ServiceFixture } from '../support/service-fixture.js'

export const OWNER = 'a-shop-with-a-name'
export const WALLET = { id: 'wallet-1', address: '0xabcd000000000000000000000000000000000001', network: 'SEP' }

export interface Visited {
  readonly status: number
  readonly headers: Headers
  readonly html: string
  readonly text: string
}

/** The tables of a page: the text of each cell, row by row. */
export function tablesOf(html: string): readonly { readonly caption: string; readonly rows: readonly string[][] }[] {
  return [...html.matchAll(/<table.*?<\/table>/gs)].map(([table]) => {
    const [, caption = ''] = /<caption>(.*?)<\/caption>/s.exec(table) ?? []
    const rows = [...table.matchAll(/<tr role="row">(<td.*?)<\/tr>/gs)].map(([, row = '']) =>
      [...row.matchAll(/<td.*?<\/td>/gs)].map(([cell]) => textOf(cell)),
    )
    return { caption: textOf(caption), rows }
  })
}

/** A service with a console, and a browser's doings in it. */
export class ConsoleFixture {
  private cookie = ''

  private constructor(
    readonly service: ServiceFixture,
    /** Of the operator's own listener. */
    readonly url: string,
  ) {}

  static async start(
    t: { after(end: () => Promise<void>): void },
    environment: Readonly<Record<string, string>> = {},
    clock: Clock = systemClock,
    log: Log = createLog('silent'),
  ): Promise<ConsoleFixture> {
    const settings = { BILLHOOK_METRICS_PORT: '0', ...environment }
    const service = await ServiceFixture.start(settings, log, clock)
    t.after(() => service.stop())
    const line = service.service.banner.find((one) => one.startsWith('console on ')) ?? assert.fail('no console')
    return new ConsoleFixture(
      service,
      line.replace('console on ', '').replace('/console', '').replace('0.0.0.0', '127.0.0.1'),
    )
  }

  /** Gets or posts a path as a browser does that the user leads, with the cookie of the session. */
  async visit(path: string, form?: Readonly<Record<string, string>>, headers: Readonly<Record<string, string>> = {}) {
    const own = form === undefined ? {} : { origin: this.url, 'sec-fetch-site': 'same-origin' }
    const response = await fetch(`${this.url}${path}`, {
      ...(form === undefined ? {} : { method: 'POST', body: new URLSearchParams(form) }),
      headers: { cookie: this.cookie, ...own, ...headers },
      redirect: 'manual',
    })
    const [set] = response.headers.getSetCookie()
    if (set !== undefined) this.cookie = set.split(';')[0] ?? ''
    const html = await response.text()
    return { status: response.status, headers: response.headers, html, text: textOf(html) } satisfies Visited
  }

  /** A page that must be there. */
  async page(path: string): Promise<Visited> {
    const visited = await this.visit(path)
    assert.equal(visited.status, 200, visited.text)
    return visited
  }

  /** An invoice of the shop; answers with its id. */
  async invoice(body: Readonly<Record<string, unknown>> = {}): Promise<string> {
    const more = { owner: OWNER, walletIds: [WALLET.id], name: 'Tea', amount: '10', currency: 'USDT' }
    const created = await this.service.post('/api/invoices', { ...more, ...body })
    assert.equal(created.status, 201, created.text)
    return created.json.id
  }

  /** Reports a deposit to the shop's wallet. */
  async deposit(txHash: string, amount: string, type = 'deposit.confirmed'): Promise<void> {
    const deposit = {
      network: WALLET.network,
      txHash,
      toAddress: WALLET.address,
      currency: 'Tether',
      amount,
      receivedAt: Date.now() + 1000,
    }
    const [result] = await this.service.push({ id: `${type} of ${txHash}`, type, deposit })
    assert.equal(result?.status, 'applied', JSON.stringify(result))
  }
}
