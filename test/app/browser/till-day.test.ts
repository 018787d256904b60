import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Order } from '@billhook/client'
import { noBrowser } from '../../support/chromium.js'
import { paysAtTill } from './customer.js'
import { OpenShop } from './open-shop.js'

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

/** What goes wrong with a customer. Everybody else just pays. */
const TROUBLES = [
  'another coin',
  'reload before the coin',
  'two taps',
  'offline while it is charged',
  'reload before the code is scanned',
  'two parts',
  'the answer is lost',
  'offline while it is paid',
  'cancelled first',
  'reload while it is paid',
] as const

/** What a browser says of lost connections, and of an order that is sent again while the first request for it is still under way. */
const EXPECTED = /net::ERR_FAILED|net::ERR_INTERNET_DISCONNECTED|status of 409 .*\/api\/orders\)$/

/** Each trouble once, and at least two who just pay, one in each coin. */
const CUSTOMERS = Number(process.env['TEST_TILL_CUSTOMERS'] ?? TROUBLES.length + 2)
const TROUBLE_EVERY = Math.floor(CUSTOMERS / (TROUBLES.length + 1))

function troubleOf(customer: number): (typeof TROUBLES)[number] | undefined {
  return customer % TROUBLE_EVERY === 0 ? TROUBLES[customer / TROUBLE_EVERY - 1] : undefined
}

describe('a day at the till', { skip: noBrowser, timeout: 600_000 }, () => {
  let shop: OpenShop
  before(async () => {
    shop = await OpenShop.open({ network: 'Ethereum Sepolia', wallets: 2 })
  })
  after(() => shop?.close())

  test(`serves ${CUSTOMERS} customers in a row on a phone, each charged once`, async () => {
    assert.ok(CUSTOMERS >= TROUBLES.length + 2, 'too few customers for every trouble')
    const { merchant: till } = shop
    const { context, page } = till
    const program = await shop.asProgram()
    await page.addInitScript(COUNT_SOUNDS)
    await page.evaluate(COUNT_SOUNDS)
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

    for (let customer = 1; customer <= CUSTOMERS; customer++) {
      const trouble = troubleOf(customer)
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
        await context.unrouteAll({ behavior: 'ignoreErrors' })
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
        const first = await paysAtTill(program, till, 2n)
        await page.locator('.code .figure').filter({ hasNotText: first }).waitFor()
        await till.reads(/^Paid so far: (49|50) %$/)
        await paysAtTill(program, till)
      } else await paysAtTill(program, till)
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
    for await (const order of program.listOrders()) orders.push(order)
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
      till.complaints.filter((complaint) => !EXPECTED.test(complaint)),
      [],
    )
  })
})
