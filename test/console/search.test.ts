import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { validAddress } from '../support/valid-address.js'
import { ConsoleFixture, OWNER, tablesOf, WALLET } from './console-fixture.js'

const HASH = `0x${'AbCd'.repeat(16).toLowerCase()}`
const HOSTILE = '"><script>alert(1)</script>\u001b[31m\u202e'

describe('the search of the console', () => {
  async function found(console: ConsoleFixture, typed: string) {
    const { html } = await console.page(`/console/search?q=${encodeURIComponent(typed)}`)
    return (tablesOf(html)[0]?.rows ?? []).map(([what = '', matched = '', name = '']) => [what, matched, name])
  }

  test('finds by the beginning of whatever somebody has, and says what matched', async (t) => {
    const console = await ConsoleFixture.start(t)
    await console.service.assign(OWNER, WALLET)
    const first = await console.invoice({ amount: '25.00', orderNumber: 'A-7', reference: 'A-7-5f2c81d9' })
    const second = await console.invoice({ amount: '26', orderNumber: 'A-77', reference: 'other' })
    await console.deposit(HASH, '24000000')
    const order = ['Invoice', 'order number', 'A-77']
    assert.deepEqual(await found(console, 'A-77'), [order])
    assert.deepEqual(await found(console, ' a-77 '), [order])
    assert.deepEqual(await found(console, 'A-7'), [['Invoice', 'order number, reference', 'A-7'], order])
    assert.deepEqual(await found(console, 'A-7-5f'), [['Invoice', 'reference', 'A-7-5f2c81d9']])
    for (const text of [second.slice(0, 30), second, second.toUpperCase()]) {
      assert.deepEqual(await found(console, text), [['Invoice', 'invoice id', second]])
    }
    const deposit = ['Deposit', 'transaction', HASH]
    for (const text of [HASH, HASH.toUpperCase(), HASH.slice(2), HASH.slice(2, 20).toUpperCase(), HASH.slice(0, 9)]) {
      const hits = await found(console, text)
      assert.ok(
        hits.some((hit) => JSON.stringify(hit) === JSON.stringify(deposit)),
        `${text}: ${hits}`,
      )
    }
    for (const text of [
      WALLET.address,
      WALLET.address.toUpperCase(),
      WALLET.address.slice(2),
      WALLET.address.slice(0, 38),
    ]) {
      assert.deepEqual(await found(console, text), [['Wallet', 'address', WALLET.address]])
    }
    for (const text of ['25', '25.00', '25.0 USDT', '025']) {
      assert.deepEqual(await found(console, text), [['Invoice', 'amount', 'A-7']], text)
    }
    assert.deepEqual(await found(console, '24'), [['Deposit', 'amount', HASH]])
    const { html } = await console.page('/console/search?q=25')
    assert.ok(html.includes('href="/console/invoices?amount=25"') && html.includes(`href="/console/invoices/${first}"`))
    assert.ok(html.includes('href="/console/deposits?amount=25"'))
    const narrowed = await console.page('/console/invoices?amount=25')
    assert.ok(narrowed.html.includes(first) && !narrowed.html.includes(second))
  })

  test('finds every order whose id begins so, also when each takes long to read', async (t) => {
    const console = await ConsoleFixture.start(t)
    const wallets = Array.from({ length: 50 }, (_, n) => ({
      ...WALLET,
      id: `wide-${n}`,
      address: validAddress('SEP', `wide-${n}`),
    }))
    await console.service.assign(OWNER, ...wallets)
    const walletIds = wallets.map(({ id }) => id)
    let newest = ''
    const made: string[] = []
    for (const amount of ['1', '2', '3', '4', '5', '6', '7']) {
      const options = ['USDT', 'native'].map((currency) => ({ walletIds, currency, amount }))
      const reference = `shop-${amount}`
      const body = { owner: OWNER, name: 'Tea', price: { amount: '3.00', currency: 'EUR' }, options, reference }
      const { status, json } = await console.service.post('/api/orders', body)
      assert.equal(status, 201)
      newest = json.id
      made.unshift(reference)
    }
    const hits = await found(console, newest.slice(0, 6))
    const orders = hits.filter(([what]) => what === 'Order').map(([, , name]) => name)
    assert.deepEqual(orders, made)
  })

  test('leads from a transaction to the order that it is matched to', async (t) => {
    const console = await ConsoleFixture.start(t)
    await console.service.assign(OWNER, WALLET)
    await console.deposit(`0x${'1'.repeat(64)}`, '5000000')
    const invoice = await console.invoice({ amount: '24', orderNumber: 'A-7', reference: 'A-7-5f2c81d9' })
    await console.deposit(HASH, '24000000')
    const belongsTo = async (typed: string) => {
      const { html } = await console.page(`/console/search?q=${typed}`)
      const rows = tablesOf(html)[0]?.rows ?? []
      // The last column is the owner.
      return [html, rows.filter(([what]) => what === 'Deposit').map((row) => row.at(-2))] as const
    }
    const [html, names] = await belongsTo(HASH)
    assert.deepEqual(names, ['A-7'])
    assert.ok(html.includes(`href="/console/invoices/${invoice}"`))
    assert.deepEqual((await belongsTo('1'.repeat(64)))[1], ['–'])
  })

  test('is on every page, and says what it takes where nothing was typed', async (t) => {
    const console = await ConsoleFixture.start(t)
    for (const path of ['', '/invoices', '/networks', '/search', '/search?q=', '/search?q=%20']) {
      assert.match(
        (await console.page(`/console${path}`)).html,
        /<form class="search" method="get" action="\/console\/search"/,
      )
    }
    assert.match((await console.page('/console/search')).text, /Type the beginning of an order number/)
    assert.equal((await console.visit('/console/search?query=x')).status, 400)
  })

  test('is told apart from a pattern, cannot be longer than a name, and shows hostile text as text', async (t) => {
    const console = await ConsoleFixture.start(t)
    await console.service.assign(OWNER, WALLET)
    await console.invoice({ orderNumber: HOSTILE })
    for (const none of ['%', '_', '%7', '*', '.*', '\\', "' OR 1=1 --", 'x'.repeat(5000), '\0', '\ufffd']) {
      assert.deepEqual(await found(console, none), [], none.slice(0, 20))
    }
    const [hit] = await found(console, HOSTILE.slice(0, 5))
    assert.equal(hit?.[1], 'order number')
    const { html, headers } = await console.page(`/console/search?q=${encodeURIComponent(HOSTILE)}`)
    assert.doesNotMatch(html, /<script/)
    assert.match(headers.get('content-security-policy') ?? '', /default-src 'none'/)
  })

  test('shows so many of a kind, and asks for more of the text', async (t) => {
    const console = await ConsoleFixture.start(t)
    await console.service.assign(OWNER, WALLET)
    for (let n = 0; n < 22; n += 1) await console.invoice({ amount: `${n + 1}`, orderNumber: `B-${n}` })
    assert.equal((await found(console, 'B-')).length, 20)
    assert.match((await console.page('/console/search?q=B-')).text, /first 20 are shown/)
    assert.doesNotMatch((await console.page('/console/search?q=B-2')).text, /are shown/)
  })
})
