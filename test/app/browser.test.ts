import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, describe, test } from 'node:test'
import { Billhook, identityFromPhrase, identityId, keySigner } from '@billhook/client'
import type { Browser } from 'playwright-core'
import { fits, violations } from '../support/axe.js'
import { launchBrowser } from '../support/browser.js'
import { noBrowser } from '../support/chromium.js'
import { openReceiver, type Receiver } from '../support/receiver.js'
import { ServiceFixture } from '../support/service-fixture.js'
import { Visitor } from './visitor.js'

const HOSTILE = '<img src=x onerror=document.title=1>\u202e\u0000"\'`$'

/** Everything that the browser holds of the service, as one text. */
const HELD = `(async () => {
  const [{ name }] = await indexedDB.databases()
  const database = await new Promise((resolve) => {
    const request = indexedDB.open(name)
    request.onsuccess = () => resolve(request.result)
  })
  const rows = await Promise.all([...database.objectStoreNames].map((store) => new Promise((resolve) => {
    const request = database.transaction(store).objectStore(store).getAll()
    request.onsuccess = () => resolve(request.result)
  })))
  database.close()
  return JSON.stringify([rows, { ...localStorage }, { ...sessionStorage }])
})()`

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

const MODES = [
  ['by default', {}],
  ['with unsigned requests of its own pages only', { BILLHOOK_UNSIGNED: 'same-origin', BILLHOOK_HTTP: 'node' }],
  ['without unsigned requests', { BILLHOOK_UNSIGNED: 'off' }],
  ['in strict mode', { BILLHOOK_STRICT: 'on' }],
] as const

describe('the web wallet in a browser', { skip: noBrowser }, () => {
  let browser: Browser
  before(async () => {
    browser = await launchBrowser()
  })
  after(() => browser?.close())

  for (const [mode, settings] of MODES) {
    test(`leads from nothing to an invoice that is seen paid, ${mode}`, async (t) => {
      const service = await ServiceFixture.start({ BILLHOOK_SANDBOX: 'on', ...settings })
      t.after(() => service.stop())
      const visitor = await Visitor.arrive(service.url, browser)
      t.after(() => visitor.leave())
      await visitor.sees('Your shop')
      await visitor.becomesMerchant()
      await visitor.sees('Invoices')
      await visitor.reads('There is no invoice yet.')
      await visitor.getsWallets('TRON Nile', 2)
      await visitor.invoices('Tea set', '25.00', 'A-17')
      await visitor.sees('25.00 USDT')
      await visitor.press('Simulate the payment')
      await visitor.page.locator('main [data-state=paid]').waitFor()
      await visitor.follow('Invoices')
      await visitor.page.getByRole('link', { name: /Tea set.*A-17.*Paid/s }).waitFor()
      assert.deepEqual(visitor.complaints, [])
    })
  }

  describe('of a service in strict mode', () => {
    let service: ServiceFixture
    let merchant: Visitor
    let phrase: string
    before(async () => {
      service = await ServiceFixture.start({ BILLHOOK_SANDBOX: 'on', BILLHOOK_STRICT: 'on' })
      merchant = await Visitor.arrive(service.url, browser, { permissions: ['clipboard-read', 'clipboard-write'] })
      phrase = await merchant.becomesMerchant()
      await merchant.sees('Invoices')
      await merchant.getsWallets('TRON Nile', 1)
    })
    after(async () => {
      await merchant?.leave()
      await service?.stop()
    })

    /** The identity of the merchant, as a program has it. */
    async function asProgram(): Promise<Billhook> {
      const identity = await identityFromPhrase(phrase)
      const { ledger } = await new Billhook({ url: service.url }).getInfo()
      const owner = identityId(identity.publicKey, ledger?.onboardingName ?? '')
      const signer = keySigner(crypto.getRandomValues(new Uint8Array(32)))
      const billhook = new Billhook({ url: service.url, owner, signer })
      await billhook.registerApiKey({ label: 'program' }, { identity })
      return billhook
    }

    test('holds no key and no word that can be read', async () => {
      const held = String(await merchant.page.evaluate(HELD))
      assert.ok(held.includes('"sealed"'), held)
      const words = phrase.split(' ')
      assert.deepEqual(
        words.filter((word) => held.includes(`"${word}`) || held.includes(` ${word} `)),
        [],
      )
      assert.doesNotMatch(held, /privateKey/)
    })

    test('is locked when it is opened again, opens with its passphrase alone, and shows what it was opened for', async () => {
      await merchant.follow('Settings')
      await merchant.sees('Settings')
      await merchant.page.reload()
      await merchant.unlocks('another passphrase')
      await merchant.reads('This is not the passphrase.')
      await merchant.unlocks()
      await merchant.sees('Settings')
    })

    test('is locked in all tabs at once', async () => {
      const page = await merchant.context.newPage()
      await page.goto(`${service.url}/app`)
      await page.getByLabel('Passphrase').fill('a passphrase for tests')
      await page.getByRole('button', { name: 'Open', exact: true }).click()
      await page.getByRole('heading', { level: 1, name: 'Invoices' }).waitFor()
      await page.getByRole('button', { name: 'Lock', exact: true }).click()
      await merchant.unlocks()
      await page.close()
      await merchant.page.getByRole('heading', { level: 1 }).filter({ hasNotText: 'Locked' }).waitFor()
    })

    test('restores an identity from its words, with its invoices', async () => {
      await merchant.invoices('To be found again', '7')
      await merchant.sees('7 USDT')
      const visitor = await Visitor.arrive(service.url, browser)
      await visitor.restores(phrase)
      await visitor.page.getByRole('link', { name: /To be found again/ }).waitFor()
      await visitor.leave()
    })

    test('serves an employee with an API key alone, who can write invoices and get no wallets', async () => {
      const owner = await asProgram()
      const privateKey = Buffer.from(crypto.getRandomValues(new Uint8Array(32))).toString('hex')
      const { publicKey } = keySigner(privateKey)
      const identity = await identityFromPhrase(phrase)
      const key = await owner.registerApiKey({ label: 'till', publicKey }, { identity })
      const visitor = await Visitor.arrive(service.url, browser)
      await visitor.bringsKey(owner.owner ?? '', privateKey)
      await visitor.invoices('Written by an employee', '8')
      await visitor.sees('8 USDT')
      await visitor.follow('Wallets')
      await visitor.reads('Only the identity of the shop can get wallets.')
      await owner.revokeApiKey(key.id)
      await visitor.invoices('Too late', '9')
      await visitor.reads('Your API key was revoked.')
      await visitor.leave()
    })

    test('shows what others wrote as text only', async () => {
      const owner = await asProgram()
      const [wallet] = await owner.listWallets()
      const draft = { walletIds: [wallet?.id ?? ''], name: HOSTILE, description: HOSTILE, orderNumber: HOSTILE }
      const { id } = await owner.createInvoice({ ...draft, amount: '11', currency: 'USDT' })
      await merchant.follow('Invoices')
      await merchant.page.locator(`a[href="#/invoices/${id}"]`).click()
      await merchant.sees('11 USDT')
      assert.equal(await merchant.page.locator('main .name bdi').textContent(), HOSTILE)
      assert.equal(await merchant.page.locator('main img').count(), 0)
      assert.notEqual(await merchant.page.title(), '1')
    })

    test('creates an invoice once whose answer was lost', async () => {
      const { context, page } = merchant
      let lost = 0
      await context.route('**/api/invoices', async (route) => {
        await route.fetch()
        lost += 1
        await route.abort()
      })
      await merchant.invoices('Answered late', '12')
      await page.getByRole('heading', { name: 'Not answered yet' }).waitFor()
      assert.ok(lost > 0)
      await page.reload()
      await merchant.unlocks()
      await page.getByRole('heading', { name: 'Not answered yet' }).waitFor()
      await context.unroute('**/api/invoices')
      await page.getByRole('link', { name: /Answered late/ }).waitFor()
      await page.getByRole('heading', { name: 'Not answered yet' }).waitFor({ state: 'detached' })
      assert.equal(await page.getByRole('link', { name: /Answered late/ }).count(), 1)
    })

    test('warns of a service that changes where the money goes', async () => {
      const { context, page } = merchant
      const owner = await asProgram()
      const [wallet] = await owner.listWallets()
      const first = wallet?.address ?? assert.fail('the wallet has no address')
      const thief = 'TXYZopYRdj2D9XRtbG411XZZ3kM5VkAeBf'
      await context.route('**/api/users/*/wallets', async (route) => {
        const response = await route.fetch()
        await route.fulfill({ response, body: (await response.text()).replaceAll(first, thief) })
      })
      await page.reload()
      await merchant.unlocks()
      await merchant.follow('Wallets')
      await merchant.reads('Its address has changed.')
      await merchant.follow('Invoices')
      await page.getByRole('link', { name: /Answered late/ }).click()
      await merchant.sees('12 USDT')
      await page.getByRole('heading', { name: 'Do not let this invoice be paid' }).waitFor()
      const told = (await page.getByRole('alert').textContent()) ?? ''
      assert.ok(told.includes(first) && told.includes(thief), told)
      assert.equal(await page.locator('.qr').count(), 0)
      await merchant.follow('Invoices')
      await merchant.follow('New invoice')
      await merchant.reads('You have no wallet on TRON Nile.')
      await context.unroute('**/api/users/*/wallets')
      await page.reload()
      await merchant.unlocks()
    })

    test('warns of a record that is not what was asked for', async () => {
      const { context } = merchant
      await context.route(/\/api\/invoices\/[0-9a-f]{32}$/, async (route) => {
        const response = await route.fetch()
        await route.fulfill({ response, json: { ...(await response.json()), amount: '1.30' } })
      })
      await merchant.invoices('Thirteen', '13')
      await merchant.sees('1.30 USDT')
      await merchant.reads('The service recorded 1.30 where you asked for 13 (amount).')
      await context.unroute(/\/api\/invoices\/[0-9a-f]{32}$/)
    })

    test('says that the connection is lost, and goes on when it is back', async () => {
      const { context, page } = merchant
      await merchant.follow('Invoices')
      await context.setOffline(true)
      await merchant.reads('No connection.')
      await context.setOffline(false)
      await page.getByText('No connection.').waitFor({ state: 'detached' })
    })

    test('is not shown in a frame of another page', async () => {
      const host = createServer((_request, response) => {
        response.setHeader('Content-Type', 'text/html')
        response.end(`<!doctype html><iframe src="${service.url}/app"></iframe>`)
      }).listen(0, '127.0.0.1')
      await new Promise((resolve) => host.once('listening', resolve))
      const page = await browser.newPage()
      try {
        await page.goto(`http://127.0.0.1:${(host.address() as AddressInfo).port}`)
        const frame = await (await page.waitForSelector('iframe')).contentFrame()
        assert.equal(await frame?.locator('#app').count(), 0)
      } finally {
        await page.close()
        host.close()
      }
    })

    for (const [place, title] of [
      ['#/invoices', 'Invoices'],
      ['#/invoices/new', 'New invoice'],
      ['#/wallets', 'Wallets'],
      ['#/settings', 'Settings'],
    ] as const) {
      test(`is for everybody: ${title}`, async () => {
        const { page } = merchant
        await page.evaluate(`location.hash = '${place}'`)
        await merchant.sees(title)
        await assertForEverybody(merchant)
      })
    }

    test('is for everybody in Arabic, from right to left', async () => {
      const { page } = merchant
      await page.evaluate("location.hash = '#/settings'")
      await merchant.sees('Settings')
      await merchant.choose('Language', 'العربية')
      await merchant.sees('الإعدادات')
      assert.deepEqual(await page.evaluate('[document.documentElement.lang, document.documentElement.dir]'), [
        'ar',
        'rtl',
      ])
      for (const [place, title] of [
        ['#/till', 'الصندوق'],
        ['#/invoices', 'الفواتير'],
        ['#/invoices/new', 'فاتورة جديدة'],
        ['#/orders', 'الطلبات'],
        ['#/overview', 'نظرة عامة'],
        ['#/wallets', 'المحافظ'],
        ['#/webhooks', 'إشعارات الويب'],
        ['#/keys', 'مفاتيح API'],
      ] as const) {
        await page.evaluate(`location.hash = '${place}'`)
        await merchant.sees(title)
        await assertForEverybody(merchant)
      }
      await page.reload()
      await page.getByRole('heading', { level: 1, name: 'مقفل' }).waitFor()
      await merchant.choose('اللغة', 'English')
      await merchant.unlocks()
      await merchant.sees('API keys')
    })

    test('forgets its keys only when that is confirmed', async () => {
      await merchant.follow('Settings')
      await merchant.press('Forget the keys in this browser')
      const sure = merchant.page.getByRole('group', { name: 'Forget the keys in this browser' })
      const button = sure.getByRole('button', { name: 'Forget the keys in this browser' })
      assert.equal(await button.isDisabled(), true)
      await sure.getByRole('checkbox').check()
      await button.click()
      await merchant.sees('Your shop')
      assert.equal(await merchant.page.evaluate(HELD), '[[[],[],[]],{},{}]')
      await merchant.page.reload()
      await merchant.sees('Your shop')
    })
  })

  describe('of a service in strict mode, at work', () => {
    let service: ServiceFixture
    let receiver: Receiver
    let merchant: Visitor
    let program: Billhook
    before(async () => {
      receiver = await openReceiver()
      const settings = { BILLHOOK_STRICT: 'on', BILLHOOK_CALLBACK_ALLOW: '127.0.0.1/32' }
      service = await ServiceFixture.start({ BILLHOOK_SANDBOX: 'on', ...settings })
      program = new Billhook({ url: service.url })
      merchant = await Visitor.arrive(service.url, browser)
      await merchant.becomesMerchant()
      await merchant.sees('Invoices')
      await merchant.getsWallets('Ethereum Sepolia', 2)
    })
    after(async () => {
      await merchant?.leave()
      await service?.stop()
      await receiver?.close()
    })

    /** Pays the invoice whose code the till shows. */
    async function paysAtTill({ page }: Visitor): Promise<void> {
      await page.getByText('The customer scans this code.').waitFor()
      const address = (await page.locator('.code code').textContent()) ?? ''
      const figure = (await page.locator('.code .figure').textContent()) ?? ''
      const [amount = '', symbol = ''] = figure.split(' ')
      await program.simulateDeposit({ address, amount, currency: symbol === 'ETH' ? 'native' : symbol })
    }

    test('takes one customer after the other at the till, also through a reload', async () => {
      const { page } = merchant
      await merchant.follow('Till')
      await merchant.choose('In', 'EUR')
      await merchant.charges('12.5')
      await merchant.reads('How does the customer pay?')
      await assertForEverybody(merchant)
      await page.getByRole('button', { name: /^13\.59 USDT/ }).click()
      await page.locator('.code .qr').waitFor()
      await assertForEverybody(merchant)
      await page.reload()
      await merchant.unlocks()
      await paysAtTill(merchant)
      await page.locator('.paid-till [data-state=paid]').waitFor()
      await assertForEverybody(merchant)
      await merchant.press('Next customer')
      await merchant.charges('3')
      await page.getByRole('button', { name: /ETH/ }).click()
      await paysAtTill(merchant)
      await page.locator('.paid-till [data-state=paid]').waitFor()
      await merchant.press('Next customer')
      await merchant.charges('4')
      await merchant.press('Cancel')
      await page.getByRole('button', { name: 'Charge' }).waitFor()
      await assertForEverybody(merchant)
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
      await context.unroute('**/api/orders')
      await merchant.unlocks()
      await merchant.reads('How does the customer pay?')
      await merchant.press('Cancel')
      await merchant.follow('Orders')
      await page.locator('.rows > li').first().waitFor()
      assert.equal(await page.getByRole('link', { name: /7 EUR/ }).count(), 1)
    })

    test('writes an order that the customer pays in a coin of choice, and lists it', async () => {
      const { page } = merchant
      await merchant.follow('Orders')
      await merchant.sees('Orders')
      await assertForEverybody(merchant)
      await merchant.follow('New order')
      await merchant.sees('New order')
      await merchant.reads(/^The customer can pay in USDT \(Ethereum Sepolia\)/)
      await assertForEverybody(merchant)
      await merchant.write('What it is for', HOSTILE)
      await merchant.write('Price', '30')
      await merchant.choose('In', 'EUR')
      await merchant.press('Create')
      await merchant.sees('30 EUR')
      await assertForEverybody(merchant)
      await page.locator('.rows a').first().click()
      await merchant.press('Simulate the payment')
      await page.locator('main [data-state=paid]').waitFor()
      await page.goBack()
      await merchant.sees('30 EUR')
      await page.locator('main [data-state=paid]').waitFor()
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
      await context.unroute(/\/api\/orders\/[0-9a-f]{32}$/)
      await merchant.press('Cancel')
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
      await assertForEverybody(merchant)
    })

    test('tells what came, and saves a list as CSV without formulas', async () => {
      const { page } = merchant
      await merchant.follow('Overview')
      await merchant.sees('Overview')
      const today = page.locator('dl > div', { has: page.getByText('Today', { exact: true }) }).locator('dd')
      await today.filter({ hasText: /\d+\.\d+ USDT/ }).waitFor()
      assert.ok((await page.locator('.chart').count()) >= 2)
      await assertForEverybody(merchant)
      await merchant.invoices('=1+1', '42')
      await merchant.sees('42 USDT')
      await merchant.follow('Invoices')
      await page.getByRole('link', { name: /=1\+1/ }).waitFor()
      const [download] = await Promise.all([page.waitForEvent('download'), merchant.press('Save as CSV')])
      const lines = readFileSync(await download.path(), 'utf8').split('\r\n')
      assert.match(lines.find((line) => line.includes('1+1')) ?? '', /^[0-9a-f]{32},'=1\+1,.*,42,USDT,0,open,/)
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
      await paysAtTill(merchant)
      await page.locator('.paid-till [data-state=paid]').waitFor()
      await tabTo('Next customer')
      await keyboard.press('Space')
      await page.getByRole('button', { name: 'Charge' }).waitFor()
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
      await assertForEverybody(merchant)
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
      const employee = await Visitor.arrive(service.url, browser)
      await employee.bringsKey(file.owner, file.privateKey)
      await employee.follow('Till')
      await employee.charges('9')
      await employee.page.getByRole('button', { name: /USDT/ }).first().click()
      await paysAtTill(employee)
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

  test('asks three words back, and goes on with the right ones only', async (t) => {
    const service = await ServiceFixture.start({ BILLHOOK_SANDBOX: 'on' })
    t.after(() => service.stop())
    const visitor = await Visitor.arrive(service.url, browser)
    t.after(() => visitor.leave())
    await visitor.sees('Your shop')
    await assertForEverybody(visitor)
    await visitor.page.getByRole('button', { name: /^Create a new identity/ }).click()
    await visitor.sees('Write these twelve words down')
    await assertForEverybody(visitor)
    await visitor.press('I have written them down')
    await visitor.givesBack(Array(12).fill('zebra'))
    await visitor.press('Next')
    await visitor.reads(/^Word \d+ is another one\./)
    await assertForEverybody(visitor)
  })

  test('without a ledger, it says what the operator has to do, and goes on when it is done', async (t) => {
    const service = await ServiceFixture.start({ BILLHOOK_STRICT: 'on', BILLHOOK_ONBOARDING_NAME: 'shop.example' })
    t.after(() => service.stop())
    const visitor = await Visitor.arrive(service.url, browser)
    t.after(() => visitor.leave())
    await visitor.becomesMerchant('shop.example')
    await visitor.sees('Preparing your shop')
    const command = visitor.page.locator('code', { hasText: 'billhook identities add' })
    const identity = (await command.textContent())?.split(' ').pop()
    await service.push({ id: 'onboarded', type: 'identity.onboarded', identity })
    await visitor.sees('Invoices')
    await visitor.follow('Wallets')
    await visitor.reads('This service has no ledger: its operator gives you wallets, with the command below.')
  })
})

/** WCAG 2.2 AA in light and dark, and nothing wider than 320 pixels. */
async function assertForEverybody({ page }: Visitor): Promise<void> {
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme })
    assert.deepEqual(await violations(page), [], colorScheme)
  }
  const before = page.viewportSize()
  await page.setViewportSize({ width: 320, height: 640 })
  assert.ok(await fits(page), 'it is wider than 320 pixels')
  if (before !== null) await page.setViewportSize(before)
}
