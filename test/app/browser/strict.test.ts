import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { identityFromPhrase, keySigner } from '@billhook/client'
import { noBrowser } from '../../support/chromium.js'
import { assertForEverybody } from './for-everybody.js'
import { OpenShop } from './open-shop.js'
import { HOSTILE, type Visitor } from './visitor.js'

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

describe('the web wallet of a service in strict mode', { skip: noBrowser }, () => {
  let shop: OpenShop
  let merchant: Visitor
  before(async () => {
    shop = await OpenShop.open({ settings: { BILLHOOK_STRICT: 'on' }, network: 'TRON Nile', wallets: 1 })
    merchant = shop.merchant
  })
  after(() => shop?.close())

  test('holds no key and no word that can be read', async () => {
    const held = String(await merchant.page.evaluate(HELD))
    assert.ok(held.includes('"sealed"'), held)
    // One word alone says nothing: `order` is one of those that they are drawn from.
    const words = shop.phrase.split(' ')
    const pairs = words.slice(1).map((word, i) => new RegExp(`\\b${words[i]}\\W{1,5}${word}\\b`))
    assert.deepEqual(
      pairs.filter((pair) => pair.test(held)),
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
    await page.goto(`${shop.service.url}/app`)
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
    const visitor = await shop.arrives()
    await visitor.restores(shop.phrase)
    await visitor.page.getByRole('link', { name: /To be found again/ }).waitFor()
    await visitor.leave()
  })

  test('serves an employee with an API key alone, who can write invoices and get no wallets', async () => {
    const owner = await shop.asProgram()
    const privateKey = Buffer.from(crypto.getRandomValues(new Uint8Array(32))).toString('hex')
    const { publicKey } = keySigner(privateKey)
    const identity = await identityFromPhrase(shop.phrase)
    const key = await owner.registerApiKey({ label: 'till', publicKey }, { identity })
    const visitor = await shop.arrives()
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
    const owner = await shop.asProgram()
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
    await context.unrouteAll({ behavior: 'wait' })
    await page.getByRole('link', { name: /Answered late/ }).waitFor()
    await page.getByRole('heading', { name: 'Not answered yet' }).waitFor({ state: 'detached' })
    assert.equal(await page.getByRole('link', { name: /Answered late/ }).count(), 1)
  })

  test('warns of a service that changes where the money goes', async () => {
    const { context, page } = merchant
    const owner = await shop.asProgram()
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
    await context.unrouteAll({ behavior: 'wait' })
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
    await context.unrouteAll({ behavior: 'wait' })
  })

  test('says that the connection is lost, and goes on when it is back', async () => {
    const { context, page } = merchant
    await merchant.follow('Invoices')
    await context.setOffline(true)
    await merchant.reads('No connection.')
    await context.setOffline(false)
    await page.getByText('No connection.').waitFor({ state: 'detached' })
  })

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
