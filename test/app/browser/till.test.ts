import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { Billhook } from '@billhook/client'
import { noBrowser } from '../../support/chromium.js'
import { paysAtTill } from './customer.js'
import { OpenShop } from './open-shop.js'
import type { Visitor } from './visitor.js'

describe('the till in a browser', { skip: noBrowser }, () => {
  let shop: OpenShop
  let merchant: Visitor
  let customers: Billhook
  before(async () => {
    shop = await OpenShop.open({ settings: { BILLHOOK_STRICT: 'on' }, network: 'Ethereum Sepolia', wallets: 2 })
    merchant = shop.merchant
    customers = new Billhook({ url: shop.service.url })
  })
  after(() => shop?.close())

  test('takes one customer after the other at the till, also through a reload', async () => {
    const { page } = merchant
    await merchant.follow('Till')
    await merchant.choose('In', 'EUR')
    await merchant.charges('12.5')
    await merchant.reads('How does the customer pay?')
    await page.getByRole('button', { name: /^13\.59 USDT/ }).click()
    await page.locator('.code .qr').waitFor()
    await page.reload()
    await merchant.unlocks()
    await paysAtTill(customers, merchant)
    await page.locator('.paid-till [data-state=paid]').waitFor()
    await merchant.press('Next customer')
    await merchant.charges('3')
    await page.getByRole('button', { name: /ETH/ }).click()
    await paysAtTill(customers, merchant)
    await page.locator('.paid-till [data-state=paid]').waitFor()
    await merchant.press('Next customer')
    await merchant.charges('4')
    await merchant.press('Cancel')
    await page.getByRole('button', { name: 'Charge' }).waitFor()
  })

  test('creates the order of a customer once, though the answer was lost', async () => {
    const { context, page } = merchant
    await context.route('**/api/orders', async (route) => {
      await route.fetch()
      await route.abort()
    })
    await merchant.follow('Till')
    await merchant.charges('7')
    await merchant.reads('Waiting for the service.')
    await page.reload()
    await context.unrouteAll({ behavior: 'ignoreErrors' })
    await merchant.unlocks()
    await merchant.reads('How does the customer pay?')
    await merchant.press('Cancel')
    await merchant.follow('Orders')
    await page.locator('.rows > li').first().waitFor()
    assert.equal(await page.getByRole('link', { name: /7 EUR/ }).count(), 1)
  })

  test('warns at the till of an order that is not what was asked for', async () => {
    const { context, page } = merchant
    await context.route(/\/api\/orders\/[0-9a-f]{32}$/, async (route) => {
      const response = await route.fetch()
      await route.fulfill({
        response,
        json: { ...(await response.json()), price: { amount: '0.6', currency: 'EUR' } },
      })
    })
    await merchant.follow('Till')
    await merchant.charges('6')
    await merchant.reads('The service recorded 0.6 where you asked for 6 (amount).')
    assert.equal(await page.getByRole('button', { name: /USDT/ }).count(), 0)
    await context.unrouteAll({ behavior: 'ignoreErrors' })
    await merchant.press('Cancel')
  })

  test('is used without a mouse: an invoice, and a customer at the till', async () => {
    const { page } = merchant
    const { keyboard } = page
    /** Goes on by Tab to what has that name. */
    const tabTo = async (name: string) => {
      for (let step = 0; step < 60; step++) {
        await keyboard.press('Tab')
        const focused = await page.evaluate(
          "document.activeElement.labels?.[0]?.textContent ?? document.activeElement.textContent ?? ''",
        )
        if (focused === name) return
      }
      assert.fail(`Tab does not reach ${name}`)
    }
    await merchant.follow('Invoices')
    await merchant.sees('Invoices')
    await tabTo('New invoice')
    await keyboard.press('Enter')
    await merchant.sees('New invoice')
    await tabTo('What it is for')
    await keyboard.type('Written by keys')
    await tabTo('Amount')
    await keyboard.type('43')
    await tabTo('Create')
    await keyboard.press('Enter')
    await merchant.sees('43 USDT')
    await merchant.follow('Till')
    await merchant.sees('Till')
    await merchant.reads(/^The customer can pay/)
    await keyboard.type('1.5x')
    await keyboard.press('Backspace')
    await keyboard.type('7')
    await merchant.reads(/^1\.7 /)
    await keyboard.press('Enter')
    await merchant.reads('How does the customer pay?')
    await keyboard.press('Tab')
    await keyboard.press('Enter')
    await paysAtTill(customers, merchant)
    await page.locator('.paid-till [data-state=paid]').waitFor()
    await tabTo('Next customer')
    await keyboard.press('Space')
    await page.getByRole('button', { name: 'Charge' }).waitFor()
  })
})
