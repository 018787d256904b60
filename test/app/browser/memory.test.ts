import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Billhook } from '@billhook/client'
import { noBrowser } from '../../support/chromium.js'
import { OpenShop } from './open-shop.js'

type Kind = 'invoices' | 'orders'

const MIB = 1024 * 1024
const INVOICES = 150
const ORDERS = 60
/** Rows that a list begins with. */
const SHOWN = 50
/** Before the first look, and between the two. */
const CHANGES = 10
/** Ten trees of sixty rows have 0.9 MiB, and ten records that are read again a few kB. */
const GROWTH_MAX_MIB = 0.3

describe('a shop that stays open', { skip: noBrowser, timeout: 240_000 }, () => {
  let shop: OpenShop
  let program: Billhook
  const ids: Record<Kind, string[]> = { invoices: [], orders: [] }
  before(async () => {
    shop = await OpenShop.open({ network: 'Ethereum Sepolia', wallets: 1 })
    program = await shop.asProgram()
    const [wallet] = await program.listWallets()
    assert.ok(wallet !== undefined)
    const walletIds = [wallet.id]
    for (let at = 1; at <= INVOICES; at++) {
      const { id } = await program.createInvoice({ walletIds, name: `Tea ${at}`, amount: `${at}.5`, currency: 'USDT' })
      ids.invoices.push(id)
    }
    for (let at = 1; at <= ORDERS; at++) {
      const price = { amount: `${at}.25`, currency: 'USDT' }
      const { id } = await program.createOrder({ price, options: [{ walletIds, currency: 'USDT' }], name: `Cup ${at}` })
      ids.orders.push(id)
    }
    await shop.merchant.page.reload()
    await shop.merchant.unlocks()
  })
  after(() => shop?.close())

  /** What the tab holds behind a collection of garbage. */
  async function heldMib(): Promise<number> {
    const { context, page } = shop.merchant
    const session = await context.newCDPSession(page)
    await session.send('HeapProfiler.collectGarbage')
    const { usedSize } = await session.send('Runtime.getHeapUsage')
    await session.detach()
    return usedSize / MIB
  }

  async function showsRows(kind: Kind): Promise<void> {
    const { page } = shop.merchant
    await page.evaluate(`location.hash = '#/${kind}'`)
    await page
      .locator('.rows li')
      .nth(SHOWN - 1)
      .waitFor()
  }

  /** The page reads each again before the next changes. */
  async function change(kind: Kind): Promise<void> {
    const { page } = shop.merchant
    for (const id of ids[kind].splice(0, CHANGES)) {
      const read = page.waitForResponse((answer) => answer.url().endsWith(`/api/${kind}/${id}`))
      await (kind === 'invoices' ? program.voidInvoice(id) : program.voidOrder(id))
      await read
    }
  }

  for (const kind of ['invoices', 'orders'] as const) {
    test(`holds no more when it shows its ${kind}, and more of them change`, async () => {
      await showsRows(kind)
      // Now they are known, and the list is drawn whole at once.
      await shop.merchant.page.evaluate(`location.hash = '#/settings'`)
      await shop.merchant.sees('Settings')
      await showsRows(kind)
      await change(kind)
      const before = await heldMib()
      await change(kind)
      const growth = (await heldMib()) - before
      assert.ok(growth < GROWTH_MAX_MIB, `${growth.toFixed(2)} MiB more`)
    })
  }
})
