import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { request } from 'undici'
import { openReceiver } from '../support/receiver.js'
import { testKey } from '../support/signing.js'
import { ConsoleFixture, OWNER, tablesOf, WALLET } from './console-fixture.js'

const HOSTILE = '"><img src=x onerror=alert(1)><script>alert(1)</script>\u202e'

describe('the console', () => {
  test('shows invoices by owner, reference, id and state', async (t) => {
    const console = await ConsoleFixture.start(t)
    await console.service.assign(OWNER, WALLET)
    await console.service.assign('other', { ...WALLET, id: 'w2', address: `${WALLET.address.slice(0, -1)}2` })
    const paid = await console.invoice({ amount: '10', reference: 'order-1' })
    const unpaid = await console.invoice({ amount: '20', reference: 'order-2' })
    const foreign = await console.invoice({ owner: 'other', walletIds: ['w2'], reference: 'order-3' })
    await console.service.post(`/api/invoices/${foreign}/void`, { owner: 'other' })
    await console.deposit('0x1', '10000000')
    const found = async (query: string) => {
      const { html } = await console.page(`/console/invoices${query}`)
      return [...html.matchAll(/href="\/console\/invoices\/([0-9a-f]{32})"/g)].map(([, id]) => id)
    }
    assert.deepEqual(await found(''), [foreign, unpaid, paid])
    assert.deepEqual(await found(`?owner=${OWNER}&reference=&state=`), [unpaid, paid])
    assert.deepEqual(await found('?reference=order-2'), [unpaid])
    assert.deepEqual(await found(`?reference=${paid}`), [paid])
    assert.deepEqual(await found('?state=paid'), [paid])
    assert.deepEqual(await found(`?state=unpaid&owner=${OWNER}`), [unpaid])
    assert.deepEqual(await found('?state=void'), [foreign])
    assert.deepEqual(await found('?state=expired'), [])
    assert.deepEqual(await found('?owner=nobody'), [])
    assert.deepEqual(await found('?reference=none'), [])
    assert.deepEqual(await found(`?reference=order-2&owner=${OWNER}&state=unpaid`), [unpaid])
    assert.deepEqual(await found('?reference=order-2&owner=other'), [])
    assert.deepEqual(await found('?reference=order-2&state=paid'), [])
  })

  test('shows on the page of an invoice what lies on its wallets beside it, other invoices of them, and a timeline', async (t) => {
    const console = await ConsoleFixture.start(t)
    await console.service.assign(OWNER, WALLET)
    const metadata = { [HOSTILE.slice(0, 40)]: HOSTILE }
    const id = await console.invoice({
      amount: '30',
      orderNumber: HOSTILE,
      returnUrl: 'https://shop.example/',
      metadata,
    })
    const other = await console.invoice({ amount: '31' })
    await console.deposit('0x1', '5000000')
    const wrong = { network: 'SEP', txHash: '0x2', toAddress: WALLET.address, currency: '#native', amount: '90' }
    const event = { id: 'wrong', type: 'deposit.pending', deposit: { ...wrong, receivedAt: Date.now() + 1000 } }
    const [result] = await console.service.push(event)
    assert.equal(result?.status, 'applied')
    const { html } = await console.page(`/console/invoices/${id}`)
    const rowsOf = (caption: string) => tablesOf(html).find((one) => one.caption.startsWith(caption))?.rows ?? []
    assert.deepEqual(
      rowsOf('Deposits that are no invoice').map(([, network, state, what]) => [network, state, what]),
      [['SEP', 'pending', '90 ETH, which this invoice does not ask for']],
    )
    assert.equal(rowsOf('Other invoices').length, 1)
    assert.ok(html.includes(`href="/console/invoices/${other}"`))
    const told = rowsOf('Oldest first').map(([, what]) => what)
    assert.deepEqual(told, ['Created', '5 USDT received on SEP', '5 USDT confirmed'])
    assert.doesNotMatch(html, /<script|<img/)
    assert.ok(html.includes('https://shop.example/') && !html.includes('href="https://shop.example/"'))
  })

  test('shows deposits by network, transaction, address, owner, state and amount, with amounts as payers sent them', async (t) => {
    const console = await ConsoleFixture.start(t, { BILLHOOK_SEP_TOKEN_DECIMALS: '8' })
    const other = { id: 'w2', address: '0xabcd000000000000000000000000000000000002', network: 'SEP' }
    await console.service.assign(OWNER, WALLET)
    await console.service.assign('other', other)
    const deposits = [
      { txHash: '0x1', type: 'deposit.confirmed', toAddress: WALLET.address, currency: 'Tether', amount: '150000000' },
      { txHash: '0x2', type: 'deposit.pending', toAddress: other.address, currency: '#native', amount: '0.25' },
      { txHash: '0x3', type: 'deposit.pending', toAddress: WALLET.address, currency: 'Pebble', amount: '7' },
    ]
    for (const { type, ...deposit } of deposits) {
      const [result] = await console.service.push({ id: deposit.txHash, type, deposit: { network: 'SEP', ...deposit } })
      assert.equal(result?.status, 'applied', JSON.stringify(result))
    }
    const found = async (query: string) => {
      const { html } = await console.page(`/console/deposits${query}`)
      return tablesOf(html).flatMap(({ rows }) => rows.map((cells) => cells.slice(2, 6).join(' ')))
    }
    const [first, second, third] = ['confirmed 1.5 USDT 0x1', 'pending 0.25 native 0x2', 'pending 7 Pebble 0x3']
    assert.deepEqual(await found(''), [third, second, first])
    assert.deepEqual(await found('?network=SEP'), [third, second, first])
    assert.deepEqual(await found('?network=TRX-NILE'), [])
    assert.deepEqual(await found(`?address=${WALLET.address.toUpperCase().replace('X', 'x')}`), [third, first])
    assert.deepEqual(await found(`?owner=${OWNER}`), [third, first])
    assert.deepEqual(await found(`?owner=${OWNER}&state=confirmed`), [first])
    assert.deepEqual(await found('?owner=nobody'), [])
    assert.deepEqual(await found('?transaction=0x2'), [second])
    assert.deepEqual(await found(`?transaction=0x2&owner=${OWNER}`), [])
    assert.deepEqual(await found('?transaction=0x2&state=confirmed'), [])
    assert.deepEqual(await found('?amount=1.50'), [first])
    assert.deepEqual(await found('?amount=.25&state=pending'), [second])
    assert.deepEqual(await found('?amount=150000000'), [])
    assert.deepEqual(await found('?amount=much'), [])
  })

  test('finds wallets by id and address, and keys by public key, of the given owner only', async (t) => {
    const console = await ConsoleFixture.start(t)
    await console.service.assign(OWNER, WALLET)
    const key = testKey('of a shop')
    await console.service.register(OWNER, key)
    for (const [path, isFound] of [
      [`wallets?id=${WALLET.id}`, true],
      [`wallets?id=${WALLET.address}&owner=${OWNER}&state=assigned`, true],
      [`wallets?id=${WALLET.address}&state=pool`, false],
      [`wallets?id=${WALLET.id}&owner=other`, false],
      [`keys?key=${key.publicKeyHex}`, true],
      [`keys?key=${key.publicKeyHex}&owner=${OWNER}&state=active`, true],
      [`keys?key=${key.publicKeyHex}&owner=other`, false],
      [`keys?key=${key.publicKeyHex}&state=revoked`, false],
      [`keys?key=${testKey('another').publicKeyHex}`, false],
      ['keys?key=0', false],
    ] as const) {
      const { html, text } = await console.page(`/console/${path}`)
      assert.equal(html.includes('<table'), isFound, path)
      assert.equal(/No (wallet|key) found\./.test(text), !isFound, path)
    }
  })

  test('leads from a list of an owner to the other lists, from a wallet to its deposits, and back', async (t) => {
    const console = await ConsoleFixture.start(t)
    await console.service.assign(OWNER, WALLET)
    const id = await console.invoice()
    await console.deposit('0x1', '1000000')
    const lists = ['orders', 'invoices', 'deposits', 'deliveries', 'wallets', 'keys']
    for (const list of lists) {
      const { html } = await console.page(`/console/${list}?owner=${OWNER}`)
      const [nav = ''] = /<nav aria-label="This owner">.*?<\/nav>/s.exec(html) ?? []
      const shown = [...nav.matchAll(/href="\/console\/(\w+)\?owner=([^"]+)"/g)].map(([, one, owner]) => [one, owner])
      const others = lists.filter((one) => one !== list).map((one) => [one, OWNER])
      assert.deepEqual(shown, others, list)
      assert.doesNotMatch((await console.page(`/console/${list}`)).html, /This owner/)
    }
    const toDeposits = `href="/console/deposits?network=SEP&amp;address=${WALLET.address}"`
    const invoice = await console.page(`/console/invoices/${id}`)
    assert.ok(invoice.html.includes(toDeposits))
    assert.ok(invoice.html.includes(`href="${console.service.url}/pay/${id}"`))
    assert.ok((await console.page('/console/wallets')).html.includes(toDeposits))
    const deposits = await console.page('/console/deposits')
    assert.ok(deposits.html.includes(`href="/console/wallets?id=${WALLET.address}"`))
  })

  test('says what there is not', async (t) => {
    const console = await ConsoleFixture.start(t)
    for (const [list, one] of Object.entries({
      invoices: 'invoice',
      deposits: 'deposit',
      deliveries: 'delivery',
      wallets: 'wallet',
      keys: 'key',
    })) {
      assert.ok((await console.page(`/console/${list}`)).text.includes(`There is no ${one} yet.`), list)
      const narrowed = await console.page(`/console/${list}?owner=${OWNER}&state=`)
      assert.ok(narrowed.text.includes(`No ${one} found.`), narrowed.text)
      assert.ok(!narrowed.text.includes('Searched'), narrowed.text)
    }
    const missing = await console.visit('/console/invoices/none')
    assert.ok(missing.text.includes('There is no such page, and no such record.'), missing.text)
    assert.ok(missing.html.includes('<a href="/console/invoices">Back to the invoices</a>'))
  })

  test('shows an invoice with its payment, wallets and deliveries, and a delivery with its body', async (t) => {
    const console = await ConsoleFixture.start(t)
    const receiver = await openReceiver((_request, response) => response.writeHead(500).end())
    t.after(() => receiver.close())
    await console.service.assign(OWNER, WALLET)
    const id = await console.invoice({ reference: 'order-1', callbackUrl: `${receiver.url}/hook` })
    await console.deposit('0xfeed', '4000000')
    await receiver.received(2)
    const { text, html } = await console.page(`/console/invoices/${id}`)
    for (const words of ['confirmed', '0xfeed', 'State unpaid', 'Received 4', 'Remaining 6', WALLET.id, '/hook']) {
      assert.ok(text.includes(words), `${words} in ${text}`)
    }
    const [, delivery = ''] = /href="(\/console\/deliveries\/[0-9a-f]{32})"/.exec(html) ?? []
    const shown = await console.page(delivery)
    for (const words of [`${receiver.url}/hook`, '"txHash":"0xfeed"', id, OWNER]) assert.ok(shown.text.includes(words))
    const deposits = await console.page('/console/deposits?network=SEP&transaction=0xfeed')
    assert.ok(deposits.text.includes('SEPconfirmed4USDT0xfeed'), deposits.text)
    const none = await console.page('/console/deposits?network=TRX-NILE')
    assert.ok(none.text.includes('No deposit found.'))
    for (const path of ['/console/invoices/none', `/console/deliveries/${id}`, '/console/nothing']) {
      const missing = await console.visit(path)
      assert.equal(missing.status, 404)
      assert.match(missing.headers.get('content-type') ?? '', /^text\/html/)
    }
  })

  test('goes through a long list page by page, and says how far a search went', async (t) => {
    const console = await ConsoleFixture.start(t)
    await console.service.assign(OWNER, WALLET)
    const ids: string[] = []
    for (let i = 1; i <= 120; i += 1) ids.unshift(await console.invoice({ amount: `${i}` }))
    const walk = async (path: string): Promise<(string | undefined)[]> => {
      const { html } = await console.page(path)
      const found = [...html.matchAll(/href="\/console\/invoices\/([0-9a-f]{32})"/g)].map(([, id]) => id)
      const [, next] = /<a href="([^"]*cursor=[^"]*)"/.exec(html) ?? []
      return next === undefined ? found : [...found, ...(await walk(next.replaceAll('&amp;', '&')))]
    }
    assert.deepEqual(await walk('/console/invoices'), ids)
    assert.deepEqual(await walk(`/console/invoices?owner=${OWNER}&state=unpaid`), ids)
    const second = /<a href="([^"]*cursor=[^"]*)"/.exec(
      (await console.page('/console/invoices?state=unpaid')).html,
    )?.[1]
    const last = await console.page(second?.replaceAll('&amp;', '&') ?? assert.fail('no second page'))
    assert.ok(last.html.includes('<a href="/console/invoices?state=unpaid">First page</a>'), last.html)
    const { text } = await console.page('/console/invoices?state=paid')
    assert.ok(text.includes('Searched 120 records, to the end of the list.'))
  })

  test('shows text from others as text', async (t) => {
    const console = await ConsoleFixture.start(t)
    await console.service.assign(HOSTILE, WALLET)
    const callbackUrl = `https://shop.example/?${encodeURI('"><script>alert(1)</script>')}'<b>`
    const hostile = { owner: HOSTILE, name: HOSTILE, description: HOSTILE, reference: HOSTILE, callbackUrl }
    const id = await console.invoice(hostile)
    await console.deposit('"><script>alert(2)</script>', '1000000')
    const query = encodeURIComponent(HOSTILE)
    for (const path of [
      '/console/invoices',
      `/console/invoices?owner=${query}&reference=${query}&state=${query}&cursor=${query}`,
      `/console/invoices/${id}`,
      '/console/deposits?network=SEP',
      `/console/deliveries?invoice=${id}`,
      `/console/deliveries?owner=${query}`,
    ]) {
      const { html } = await console.page(path)
      assert.doesNotMatch(html, /<(script|img|b)\b/i, path)
      assert.doesNotMatch(
        html,
        /href="(?!\/console|#content|data:,|http:\/\/127\.0\.0\.1:\d+\/pay\/[0-9a-f]{32}")/,
        path,
      )
    }
  })

  test('keeps other hosts, frames, scripts and caches out', async (t) => {
    const console = await ConsoleFixture.start(t)
    const { headers, html } = await console.page('/console')
    const policy = headers.get('content-security-policy') ?? ''
    const [, nonce = ''] = /style-src 'nonce-([^']+)'/.exec(policy) ?? []
    const [, style = '&'] = html.split(`<style nonce="${nonce}">`)
    assert.doesNotMatch(style.split('</style>')[0] ?? '', /&/)
    assert.equal(
      policy,
      `default-src 'none'; style-src 'nonce-${nonce}'; img-src data:; form-action 'self'; base-uri 'none'; frame-ancestors 'none'`,
    )
    assert.deepEqual(
      ['cache-control', 'x-frame-options', 'x-robots-tag', 'referrer-policy', 'x-content-type-options'].map((name) =>
        headers.get(name),
      ),
      ['no-store', 'DENY', 'noindex', 'same-origin', 'nosniff'],
    )
    assert.doesNotMatch(html, / style=|<script|(?:href|src|action)="https?:\/\//)
  })

  test('is on the operator listener only, under its own names', async (t) => {
    const console = await ConsoleFixture.start(t)
    for (const path of ['/console', '/console/invoices', '/%63onsole']) {
      assert.equal((await console.service.get(path)).status, 404)
    }
    for (const [host, status] of [
      ['evil.example', 421],
      ['127.0.0.1.evil.example:9464', 421],
      ['localhost:1', 200],
    ] as const) {
      assert.equal((await request(`${console.url}/console`, { headers: { host } })).statusCode, status, host)
    }
  })

  test('shows nothing to whom another site led here, but a link', async (t) => {
    const console = await ConsoleFixture.start(t)
    const led = await console.visit('/console/invoices?owner=x', undefined, { 'sec-fetch-site': 'cross-site' })
    assert.deepEqual([led.status, led.headers.getSetCookie()], [200, []])
    assert.ok(led.html.includes('<a href="/console/invoices?owner=x">Open the console</a>'))
    assert.doesNotMatch(led.html, /<table|<form/)
  })

  test('does not exist where other machines reach the listener', async (t) => {
    const { ServiceFixture } = await import('../support/service-fixture.js')
    const fixture = await ServiceFixture.start({ BILLHOOK_METRICS_PORT: '0', BILLHOOK_METRICS_HOST: '0.0.0.0' })
    t.after(() => fixture.stop())
    const [metrics = '', ...rest] = fixture.service.banner
    assert.deepEqual(rest, [])
    const url = metrics.replace('metrics on ', '').replace('0.0.0.0', '127.0.0.1').replace('/metrics', '/console')
    assert.equal((await fetch(url)).status, 404)
  })
})
