import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { after, before, describe, test } from 'node:test'
import { Billhook } from '@billhook/client'
import { noBrowser } from '../../support/chromium.js'
import { openReceiver, type Receiver } from '../../support/receiver.js'
import { paysAtTill } from './customer.js'
import { assertForEverybody } from './for-everybody.js'
import { OpenShop } from './open-shop.js'
import { HOSTILE, type Visitor } from './visitor.js'

/** Goes to the orders and is in the field of the search as soon as there is one. Answers the type of what has the focus when all is painted. */
const FOCUS_OF_SOMEBODY_FAST = `new Promise((resolve) => {
  new MutationObserver((_changes, observer) => {
    const field = document.querySelector('input[type=search]')
    if (field === null) return
    observer.disconnect()
    field.focus()
    requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(() => resolve(document.activeElement.type), 100)))
  }).observe(document.body, { childList: true, subtree: true })
  location.hash = '#/orders'
})`

describe('a shop in the web wallet', { skip: noBrowser }, () => {
  let shop: OpenShop
  let receiver: Receiver
  let merchant: Visitor
  before(async () => {
    receiver = await openReceiver()
    shop = await OpenShop.open({
      settings: { BILLHOOK_STRICT: 'on', BILLHOOK_CALLBACK_ALLOW: '127.0.0.1/32' },
      network: 'Ethereum Sepolia',
      wallets: 2,
    })
    merchant = shop.merchant
  })
  after(async () => {
    await shop?.close()
    await receiver?.close()
  })

  test('writes an order that the customer pays in a coin of choice, and lists it', async () => {
    const { page } = merchant
    await merchant.follow('Orders')
    await merchant.sees('Orders')
    await merchant.follow('New order')
    await merchant.sees('New order')
    await merchant.reads(/^The customer can pay in USDT \(Ethereum Sepolia\)/)
    await merchant.write('What it is for', HOSTILE)
    await merchant.write('Price', '30')
    await merchant.choose('In', 'EUR')
    await merchant.press('Create')
    await merchant.sees('30 EUR')
    await page.locator('.rows a').first().click()
    await merchant.press('Simulate the payment')
    await page.locator('main [data-state=paid]').waitFor()
    await page.goBack()
    await merchant.sees('30 EUR')
    await page.locator('main [data-state=paid]').waitFor()
  })

  test('sets webhooks, tests them, and sees what was delivered', async () => {
    const { page } = merchant
    await merchant.follow('Webhooks')
    await merchant.write('Address (https://…)', `${receiver.url}/hook`)
    await merchant.choose('What it is told', 'Events of invoices and orders')
    await merchant.press('Save')
    await merchant.press('Send a test')
    await merchant.reads(/^Delivered: the receiver answered 200/)
    await merchant.press('Show the secret')
    await page.locator('.copyable code', { hasText: /^[0-9a-f]{64}$/ }).waitFor()
    await merchant.invoices('Reported', '41')
    await merchant.sees('41 USDT')
    await receiver.received(2)
    assert.equal(JSON.parse(receiver.requests[1]?.body.toString() ?? '').type, 'invoice.created')
    await merchant.follow('Webhooks')
    await page.locator('[data-state=delivered]').first().waitFor()
  })

  test('tells what came, and saves a list as CSV without formulas', async () => {
    const { page } = merchant
    await merchant.follow('Overview')
    await merchant.sees('Overview')
    const today = page.locator('dl > div', { has: page.getByText('Today', { exact: true }) }).locator('dd')
    await today.filter({ hasText: /\d+\.\d+ USDT/ }).waitFor()
    await page.locator('.chart').first().waitFor()
    await merchant.invoices('=1+1', '42')
    await merchant.sees('42 USDT')
    await merchant.follow('Invoices')
    await page.getByRole('link', { name: /=1\+1/ }).waitFor()
    const [download] = await Promise.all([page.waitForEvent('download'), merchant.press('Save as CSV')])
    const lines = readFileSync(await download.path(), 'utf8').split('\r\n')
    assert.match(lines.find((line) => line.includes('1+1')) ?? '', /^[0-9a-f]{32},'=1\+1,.*,42,USDT,0,open,/)
  })

  test('sums up what came to a wallet, and saves every list as CSV', async () => {
    const { page } = merchant
    const saved = async (place: string) => {
      const [download] = await Promise.all([page.waitForEvent('download'), merchant.press('Save as CSV')])
      assert.equal(download.suggestedFilename(), `${place}.csv`)
      return readFileSync(await download.path(), 'utf8').split('\r\n')
    }
    await merchant.follow('Wallets')
    const card = page.locator('.cards > li', { hasText: /^Ethereum Sepolia/ }).last()
    await card.getByText('What happened', { exact: true }).click()
    await card.getByRole('button', { name: 'Look it up' }).click()
    await card.getByText(/^Received: .*\d (USDT|ETH)$/).waitFor()
    await card.getByText('What happened', { exact: true }).click()
    assert.match((await saved('wallets'))[1] ?? '', /^[0-9a-f]{64},SEP,0x\w{40},0x\w{40},(free|in use),/)
    for (const [link, list, row] of [
      ['Orders', 'orders', /^[0-9a-f]{32},/],
      ['API keys', 'keys', /,Web wallet,0[23][0-9a-f]{64},/],
      ['Webhooks', 'deliveries', /^[0-9a-f-]+,/],
    ] as const) {
      await merchant.follow(link)
      assert.match((await saved(list)).slice(1).join('\n'), row)
    }
    await merchant.follow('Overview')
    await merchant.press('Look it up')
    await page.locator('.log li').first().waitFor()
    assert.ok((await saved('events')).some((line) => line.includes('deposit.confirmed')))
    await assertForEverybody(merchant)
  })

  test('finds orders by the beginning of their number', async () => {
    const { page } = merchant
    for (const number of ['K-1', 'K-2', 'M-1']) {
      await merchant.follow('Orders')
      await merchant.follow('New order')
      await merchant.write('What it is for', `Order ${number}`)
      await merchant.write('Price', '3')
      await merchant.write('Order number (optional)', number)
      await merchant.press('Create')
      await merchant.reads(`Order ${number}`)
    }
    await merchant.follow('Orders')
    await merchant.write('Order number begins with', 'k-')
    await page.keyboard.press('Enter')
    await page.getByRole('link', { name: /Order M-1/ }).waitFor({ state: 'detached' })
    assert.equal(await page.locator('.rows > li').count(), 2)
  })

  test('has the focus on its heading at once, and takes it from nobody later', async () => {
    const { page } = merchant
    await merchant.follow('Settings')
    await merchant.sees('Settings')
    assert.equal(await page.evaluate('document.activeElement.textContent'), 'Settings')
    assert.equal(await page.evaluate(FOCUS_OF_SOMEBODY_FAST), 'search')
  })

  test('makes an API key, shows it once, and revokes it', async () => {
    const { page } = merchant
    await merchant.follow('API keys')
    await merchant.sees('API keys')
    await page.getByText('New key', { exact: true }).click()
    await merchant.write('For whom or what', 'The till at the door')
    await merchant.press('Make the key')
    await merchant.sees('The private key is shown once')
    await assertForEverybody(merchant)
    const [download] = await Promise.all([page.waitForEvent('download'), merchant.press('Save as a file')])
    const file = JSON.parse(readFileSync(await download.path(), 'utf8'))
    const employee = await shop.arrives()
    await employee.bringsKey(file.owner, file.privateKey)
    await employee.follow('Till')
    await employee.charges('9')
    await employee.page.getByRole('button', { name: /USDT/ }).first().click()
    await paysAtTill(new Billhook({ url: shop.service.url }), employee)
    await employee.page.locator('.paid-till [data-state=paid]').waitFor()
    await merchant.press('I have it')
    assert.equal((await page.content()).includes(file.privateKey), false)
    const card = page.locator('.cards > li', { hasText: 'The till at the door' })
    await card.getByRole('button', { name: 'Revoke' }).click()
    await card.getByRole('group').getByRole('button', { name: 'Revoke' }).click()
    await card.locator('[data-state=revoked]').waitFor()
    await assertForEverybody(merchant)
    await employee.press('Next customer')
    await employee.charges('9')
    await employee.reads('Your API key was revoked.')
    await employee.leave()
  })

  test('had nothing to complain about', () => {
    // What the tests themselves cut off is an error to the browser.
    assert.deepEqual(
      merchant.complaints.filter((complaint) => !/net::ERR_FAILED|Failed to load resource/.test(complaint)),
      [],
    )
  })
})
