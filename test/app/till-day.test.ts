import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { Billhook, identityFromPhrase, identityId, type Order } from '@billhook/client'
import type { Browser } from 'playwright-core'
import { launchBrowser } from '../support/browser.js'
import { noBrowser } from '../support/chromium.js'
import { ServiceFixture } from '../support/service-fixture.js'
import { Visitor } from './visitor.js'

const CUSTOMERS = 50

/** In the page: counts how often it was asked to sound. */
const COUNT_SOUNDS = `
  window.sounds = 0
  window.AudioContext = class extends AudioContext {
    constructor() {
      super()
      window.sounds += 1
    }
  }
`

/** What goes wrong with a customer, by number. Everybody else just pays. */
type Trouble =
  | 'reload before the coin'
  | 'reload before the code is scanned'
  | 'reload while it is paid'
  | 'offline while it is charged'
  | 'offline while it is paid'
  | 'the answer is lost'
  | 'two taps'
  | 'another coin'
  | 'two parts'
  | 'cancelled first'

const TROUBLES: ReadonlyMap<number, Trouble> = new Map([
  [4, 'another coin'],
  [8, 'reload before the coin'],
  [12, 'two taps'],
  [16, 'offline while it is charged'],
  [20, 'reload before the code is scanned'],
  [24, 'two parts'],
  [28, 'the answer is lost'],
  [32, 'offline while it is paid'],
  [36, 'cancelled first'],
  [40, 'reload while it is paid'],
])

describe('a day at the till', { skip: noBrowser, timeout: 600_000 }, () => {
  let browser: Browser
  before(async () => {
    browser = await launchBrowser()
  })
  after(() => browser?.close())

  test(`serves ${CUSTOMERS} customers in a row on a phone, each charged once`, async (t) => {
    const service = await ServiceFixture.start({ BILLHOOK_SANDBOX: 'on' })
    t.after(() => service.stop())
    const till = await Visitor.arrive(service.url, browser)
    t.after(() => till.leave())
    const { context, page } = till
    await page.addInitScript(COUNT_SOUNDS)
    await page.reload()
    const identity = await identityFromPhrase(await till.becomesMerchant())
    const { ledger } = await new Billhook({ url: service.url }).getInfo()
    const owner = identityId(identity.publicKey, ledger?.onboardingName ?? '')
    const shop = new Billhook({ url: service.url, owner })
    await till.sees('Invoices')
    await till.getsWallets('Ethereum Sepolia', 2)
    await till.follow('Till')
    await till.choose('In', 'EUR')
    let sounds = 0

    const paid = page.locator('.paid-till [data-state=paid]')
    const reload = async () => {
      sounds += Number(await page.evaluate('window.sounds'))
      await page.reload()
      await till.unlocks()
    }
    const chooses = async (coin: RegExp) => {
      await page.getByRole('button', { name: coin }).click()
      await page.locator('.code .qr').waitFor()
    }
    /** What the screen asks for, or a part of it. */
    const pays = async (share = 1n) => {
      await till.reads('The customer scans this code.')
      const address = (await page.locator('.code code').textContent()) ?? ''
      const [figure = '', symbol = ''] = ((await page.locator('.code .figure').textContent()) ?? '').split(' ')
      const [whole = '0', fraction = ''] = figure.split('.')
      const places = fraction.length
      const units = (BigInt(whole + fraction) / share).toString().padStart(places + 1, '0')
      const amount = places === 0 ? units : `${units.slice(0, -places)}.${units.slice(-places)}`
      await shop.simulateDeposit({ address, amount, currency: symbol === 'ETH' ? 'native' : symbol })
      return amount
    }

    for (let customer = 1; customer <= CUSTOMERS; customer++) {
      const trouble = TROUBLES.get(customer)
      const coin = customer % 3 === 0 ? /ETH/ : /USDT/
      const price = `${customer}.${10 + customer}`
      if (trouble === 'offline while it is charged') await context.setOffline(true)
      if (trouble === 'the answer is lost') {
        await context.route('**/api/orders', async (route) => {
          await route.fetch()
          await route.abort()
        })
      }
      if (trouble === 'two taps') {
        for (const key of price) await till.press(key)
        await page.getByRole('button', { name: 'Charge' }).dblclick()
      } else await till.charges(price)
      if (trouble === 'offline while it is charged') {
        await till.reads('Waiting for the service.')
        await context.setOffline(false)
      }
      if (trouble === 'the answer is lost') {
        await till.reads('Waiting for the service.')
        await context.unroute('**/api/orders')
      }
      if (trouble === 'cancelled first') {
        await till.press('Cancel')
        await till.charges(price)
      }
      await till.reads('How does the customer pay?')
      if (trouble === 'reload before the coin') await reload()
      if (trouble === 'another coin') {
        await chooses(/ETH/)
        await till.press('Another coin')
      }
      await chooses(coin)
      if (trouble === 'reload before the code is scanned') await reload()
      if (trouble === 'offline while it is paid') await context.setOffline(true)
      if (trouble === 'two parts') {
        const first = await pays(2n)
        await page.locator('.code .figure').filter({ hasNotText: first }).waitFor()
        await till.reads(/^Paid so far: (49|50) %$/)
        await pays()
      } else await pays()
      if (trouble === 'offline while it is paid') {
        await till.reads('No connection.')
        await context.setOffline(false)
      }
      if (trouble === 'reload while it is paid') await reload()
      await paid.filter({ hasText: price }).waitFor()
      await till.press('Next customer')
    }
    sounds += Number(await page.evaluate('window.sounds'))
    // The one that was reloaded may have been paid in between.
    assert.ok(sounds === CUSTOMERS || sounds === CUSTOMERS - 1, String(sounds))

    const orders: Order[] = []
    for await (const order of shop.listOrders()) orders.push(order)
    const by = (status: string) => orders.filter((order) => order.status === status)
    assert.deepEqual(
      by('paid')
        .map(({ price }) => price.amount)
        .sort((a, b) => Number(a) - Number(b)),
      Array.from({ length: CUSTOMERS }, (_, i) => `${i + 1}.${11 + i}`),
    )
    assert.deepEqual([by('void').length, orders.length], [1, CUSTOMERS + 1])
    await till.follow('Wallets')
    await till.sees('Wallets')
    assert.equal(await page.getByText('In use by an open invoice').count(), 0)
    assert.deepEqual(
      till.complaints.filter((complaint) => !/net::ERR_FAILED|net::ERR_INTERNET_DISCONNECTED/.test(complaint)),
      [],
    )
  })
})
