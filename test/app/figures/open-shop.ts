import { Billhook } from '@billhook/client'
import type { Browser } from 'playwright-core'
import type { ServiceProcess } from '../../support/service-process.js'
import { Visitor } from '../browser/visitor.js'

const MIB = 1024 * 1024
const OPEN = 'Ethereum Sepolia'
/** The amounts of the invoices are a coin apart, and each coin that comes pays one more of them. */
const COIN = '1'

/** What a tab held at one moment, after a collection of garbage. */
export interface Held {
  readonly minutes: number
  readonly heapMib: number
  readonly nodes: number
}

export interface OpenShopOptions {
  readonly invoices: number
  /** How long it stays open. */
  readonly minutes: number
  /** How often it is looked at. */
  readonly looks: number
  /** Payments in each of the times between. */
  readonly payments: number
}

/**
 * What the app holds while it is open with many invoices, some of which are paid meanwhile. Nobody touches it, and so it would lock itself
 * after 15 minutes: a pointer moves as a person's does.
 */
export async function openShop(
  browser: Browser,
  service: ServiceProcess,
  { invoices, minutes, looks, payments }: OpenShopOptions,
  say: (held: Held) => void,
): Promise<readonly Held[]> {
  const visitor = await Visitor.arrive(service.url, browser)
  try {
    await visitor.becomesMerchant()
    await visitor.sees('Invoices')
    await visitor.getsWallets(OPEN, 1)
    const ids = await writeInvoices(visitor, service.url, invoices)
    await visitor.page.reload()
    await visitor.unlocks()
    await visitor.follow('Invoices')
    await visitor.page.locator('.rows li').first().waitFor()
    const begun = Date.now()
    const session = await visitor.context.newCDPSession(visitor.page)
    const held: Held[] = []
    const look = async () => {
      await session.send('HeapProfiler.collectGarbage')
      const { usedSize } = await session.send('Runtime.getHeapUsage')
      const { nodes } = await session.send('Memory.getDOMCounters')
      held.push({ minutes: (Date.now() - begun) / 60_000, heapMib: usedSize / MIB, nodes })
      const [last] = held.slice(-1)
      if (last !== undefined) say(last)
    }
    await look()
    const shop = new Billhook({ url: service.url })
    for (let at = 1; at <= looks; at++) {
      const until = begun + (at * minutes * 60_000) / looks
      for (const invoiceId of ids.splice(0, payments)) {
        await shop.simulateDeposit({ invoiceId, amount: COIN })
        await touched(visitor, Math.max(0, (until - Date.now()) / payments))
      }
      while (Date.now() < until) await touched(visitor, Math.min(60_000, until - Date.now()))
      await look()
    }
    await visitor.page.locator('[data-state=paid]').first().waitFor()
    return held
  } finally {
    await visitor.leave()
  }
}

async function touched({ page }: Visitor, ms: number): Promise<void> {
  await page.keyboard.press('Shift')
  await page.waitForTimeout(ms)
}

/** Written by the page itself, because the service takes unsigned requests of its own pages alone where it is told to. */
async function writeInvoices({ page }: Visitor, url: string, count: number): Promise<string[]> {
  await page.evaluate(`location.hash = '#/settings'`)
  const owner = (await page.locator('main code').first().textContent()) ?? ''
  const shop = new Billhook({ url, owner })
  const [wallet] = await shop.listWallets()
  if (wallet === undefined) throw new Error('the shop has no wallet')
  const ids: string[] = []
  for (let at = 0; at < count; at++) {
    // Each has an amount of its own, because one wallet takes each but once.
    const draft = { walletIds: [wallet.id], name: `Tea ${at}`, amount: `${at + 1}.5`, orderNumber: `N-${at}` }
    ids.push((await shop.createInvoice({ ...draft, currency: 'USDT' })).id)
  }
  return ids
}
