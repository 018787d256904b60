import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { request } from 'undici'
import { openReceiver } from '../support/receiver.js'
import { ConsoleFixture, OWNER, WALLET } from './console-fixture.js'

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
    assert.ok(deposits.text.includes('4000000'))
    const none = await console.page('/console/deposits?network=TRX-NILE')
    assert.ok(none.text.includes('No deposit.'))
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
    const { text } = await console.page('/console/invoices?state=paid')
    assert.ok(text.includes('Searched 120 records.'))
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
      assert.doesNotMatch(html, /href="(?!\/console|#content|data:,)/, path)
    }
  })

  test('keeps other hosts, frames, scripts and caches out', async (t) => {
    const console = await ConsoleFixture.start(t)
    const { headers, html } = await console.page('/console')
    const policy = headers.get('content-security-policy') ?? ''
    const [, nonce = ''] = /style-src 'nonce-([^']+)'/.exec(policy) ?? []
    assert.ok(html.includes(`<style nonce="${nonce}">`))
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
    assert.doesNotMatch(html, / style=|<script|https?:\/\//)
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
