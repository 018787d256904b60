import type { Browser, Page, Request, Route } from 'playwright-core'
import { launchBrowser } from '../../support/browser.js'
import { Visitor } from './visitor.js'

/** A service that is attacked, or that attacks. */
export interface Arena {
  readonly url: string
  stop(): Promise<void>
}

/** A shop with two wallets, open in a browser, of a service whose answers can be changed on their way. */
export class AttackedShop {
  /** What has no answer yet. */
  private readonly asked = new Set<Request>()

  private constructor(
    readonly browser: Browser,
    private readonly arena: Arena,
    readonly merchant: Visitor,
  ) {
    this.page.on('request', (request) => request.url().includes('/events') || this.asked.add(request))
    this.page.on('requestfinished', (request) => this.asked.delete(request))
    this.page.on('requestfailed', (request) => this.asked.delete(request))
  }

  static async open(arena: Arena): Promise<AttackedShop> {
    const browser = await launchBrowser()
    const merchant = await Visitor.arriveQuickly(arena.url, browser)
    await merchant.becomesMerchant()
    await merchant.sees('Invoices')
    await merchant.getsWallets('Ethereum Sepolia', 2)
    return new AttackedShop(browser, arena, merchant)
  }

  get url(): string {
    return this.arena.url
  }

  get page(): Page {
    return this.merchant.page
  }

  /** Changes answers of the service until what it answers itself is called. */
  async answers(url: string | RegExp, change: (body: never) => unknown): Promise<() => Promise<void>> {
    const lie = async (route: Route) => {
      const response = await route.fetch()
      await route.fulfill({ response, json: change((await response.json()) as never) })
    }
    await this.merchant.context.route(url, lie)
    return () => this.merchant.context.unrouteAll({ behavior: 'wait' })
  }

  /** Nothing is asked for any more but events. */
  async settles(): Promise<void> {
    do await this.page.waitForTimeout(100)
    while (this.asked.size > 0)
  }

  async reopens(): Promise<void> {
    await this.page.reload()
    await this.merchant.unlocks()
  }

  async close(): Promise<void> {
    await this.merchant.leave()
    await this.browser.close()
    await this.arena.stop()
  }
}
