import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, type TestContext, test } from 'node:test'
import { type MetricAbout, metricsCatalogue } from '../../src/metrics/catalogue.js'
import { type Exposition, parseExposition } from '../support/exposition.js'
import { openReceiver } from '../support/receiver.js'
import { gatewayHeaders, ServiceFixture } from '../support/service-fixture.js'
import { testKey } from '../support/signing.js'

const OWNER = 'a-shop-with-a-name'
const WALLET = { id: 'wallet-of-the-shop', address: '0xaBcd000000000000000000000000000000000001', network: 'SEP' }
const REQUESTS = 'billhook_http_request_duration_seconds_count'
/** Answers of the metrics listener that are read for one condition; each takes turns of the service's event loop. */
const SCRAPES_MAX = 2000

/** A service with metrics, and ways to read them. */
async function observed(t: TestContext, environment: Readonly<Record<string, string>> = {}) {
  const fixture = await ServiceFixture.start({ BILLHOOK_METRICS_PORT: '0', ...environment })
  t.after(() => fixture.stop())
  const [line = ''] = fixture.service.banner
  const url = /^metrics on (http:\/\/127\.0\.0\.1:\d+\/metrics)$/.exec(line)?.[1]
  const metricsUrl = url ?? assert.fail(`no such line: ${line}`)
  const scrape = async (): Promise<Exposition> => {
    const response = await fetch(metricsUrl)
    assert.equal(response.status, 200)
    return parseExposition(await response.text())
  }
  /** The first answer that fulfils the condition. */
  const until = async (condition: (shown: Exposition) => boolean): Promise<Exposition> => {
    for (let scrapes = 0; scrapes < SCRAPES_MAX; scrapes += 1) {
      const shown = await scrape()
      if (condition(shown)) return shown
    }
    assert.fail('the metrics never showed it')
  }
  return { fixture, metricsUrl, scrape, until }
}

function depositOf(txHash: string, more: Readonly<Record<string, unknown>> = {}) {
  return {
    network: 'SEP',
    txHash,
    toAddress: WALLET.address,
    currency: 'Tether',
    amount: '10000000',
    receivedAt: Date.now() + 1000,
    ...more,
  }
}

function invoice(amount: string, more: Readonly<Record<string, unknown>> = {}) {
  return { owner: OWNER, walletIds: [WALLET.id], name: 'Order', amount, currency: 'USDT', ...more }
}

describe('the metrics of a service', () => {
  test('count exactly what was asked, by route and status, and name nothing that clients sent', async (t) => {
    const { fixture, scrape } = await observed(t)
    const units = (one: Exposition) => one.value('billhook_commit_units_sum') ?? Number.NaN
    const unitsAtStart = units(await scrape())
    await fixture.assign(OWNER, WALLET)
    const key = testKey('metrics')
    await fixture.register(OWNER, key)
    assert.equal((await fixture.createSigned(key, invoice('1'))).status, 201)
    assert.equal((await fixture.createSigned(key, invoice('1'))).status, 409)
    assert.equal((await fixture.createSigned(testKey('unknown'), invoice('2'))).status, 401)
    for (let i = 0; i < 3; i += 1) await fixture.get(`/api/users/${OWNER}/invoices`)
    await fixture.get('/nowhere/but-here')
    await fixture.call('PATCH', '/healthz')
    await fixture.call('HEAD', '/healthz')

    const shown = await scrape()
    const counted = shown.samples
      .filter(({ name }) => name === REQUESTS)
      .map(({ labels, value }) => [labels['method'], labels['route'], labels['status'], value].join(' '))
    assert.deepEqual(counted.sort(), [
      'GET /api/users/:id/invoices 200 3',
      'GET none 404 1',
      'HEAD /healthz 200 1',
      'POST /api/api-keys 201 1',
      'POST /api/invoices 201 1',
      'POST /api/invoices 401 1',
      'POST /api/invoices 409 1',
      'POST /internal/events 200 1',
      'other none 405 1',
    ])
    assert.equal(shown.value('billhook_verification_wait_seconds_count', { lane: 'registered' }), 2)
    assert.equal(shown.value('billhook_verification_wait_seconds_count', { lane: 'unregistered' }), 1)
    // Two events, the key, the invoice and the one that was refused inside its transaction.
    assert.equal(units(shown) - unitsAtStart, 5)
    assert.equal(shown.value('billhook_commit_units_count'), shown.value('billhook_commit_duration_seconds_count'))
    assert.equal(shown.value('billhook_commit_failures_total'), 0)

    const text = JSON.stringify(shown.samples)
    for (const word of [OWNER, WALLET.id, WALLET.address, 'but-here', key.publicKeyHex]) {
      assert.ok(!text.includes(word), word)
    }
  })

  test('count deposits by network, kind and outcome, and webhooks by outcome', async (t) => {
    const { fixture, until } = await observed(t)
    const receiver = await openReceiver((request, response) => {
      response.statusCode = request.body.includes('"confirmed"') ? 500 : 204
      response.end()
    })
    t.after(() => receiver.close())
    await fixture.assign(OWNER, WALLET)
    await fixture.post('/api/invoices', invoice('10', { reference: 'r', callbackUrl: `${receiver.url}/` }))
    const other = { network: 'TRX-NILE', toAddress: 'TXYZopYRdj2D9XRtbG411XZZ3kM5VkAeBf' }
    await fixture.push(
      { id: '1', type: 'deposit.pending', deposit: depositOf('0x1') },
      { id: '2', type: 'deposit.confirmed', deposit: depositOf('0x1') },
      { id: '3', type: 'deposit.confirmed', deposit: depositOf('0x1') },
      { id: '4', type: 'deposit.pending', deposit: depositOf('0x2', other) },
      { id: '5', type: 'deposit.dropped', deposit: depositOf('0x2', other) },
    )
    await receiver.received(2)
    const attempts = (shown: Exposition, outcome: string) => shown.value('billhook_webhook_attempts_total', { outcome })
    const shown = await until(
      (one) =>
        (attempts(one, 'answered') ?? 0) > 0 && one.value('billhook_outbox_deliveries', { state: 'attempted' }) === 0,
    )
    const outcomes = ['delivered', 'answered', 'timeout', 'dns', 'connection', 'refused_address', 'interrupted']
    assert.deepEqual(
      outcomes.map((outcome) => attempts(shown, outcome)),
      [1, 1, 0, 0, 0, 0, 0],
    )
    assert.equal(shown.value('billhook_webhook_attempt_duration_seconds_count'), 2)
    const reports = (network: string, kind: string, outcome: string) =>
      shown.value('billhook_deposit_reports_total', { network, kind, outcome })
    assert.equal(reports('SEP', 'pending', 'applied'), 1)
    assert.equal(reports('SEP', 'confirmed', 'applied'), 1)
    assert.equal(reports('SEP', 'confirmed', 'duplicate'), 1)
    assert.equal(reports('TRX-NILE', 'pending', 'applied'), 1)
    assert.equal(reports('TRX-NILE', 'dropped', 'applied'), 1)
    const total = shown.samples.filter(({ name }) => name === 'billhook_deposit_reports_total')
    assert.equal(total.length, 2 * 3 * 4, 'every series is there from the start')
    assert.equal(
      total.reduce((sum, { value }) => sum + value, 0),
      5,
    )
  })

  test('show the outbox, and how old its oldest delivery is, while a receiver hangs', async (t) => {
    const { fixture, scrape, until } = await observed(t)
    const held: (() => void)[] = []
    const receiver = await openReceiver((_request, response) => held.push(() => response.end()))
    t.after(() => receiver.close())
    await fixture.assign(OWNER, WALLET)
    await fixture.post('/api/invoices', invoice('10', { reference: 'r', callbackUrl: `${receiver.url}/` }))
    await fixture.push({ id: '1', type: 'deposit.pending', deposit: depositOf('0x1') })
    await receiver.received(1)
    // The second of one invoice waits for the first.
    await fixture.push({ id: '2', type: 'deposit.confirmed', deposit: depositOf('0x1') })
    const state = (shown: Exposition, name: string) => shown.value('billhook_outbox_deliveries', { state: name })
    const hanging = await scrape()
    assert.deepEqual([state(hanging, 'queued'), state(hanging, 'attempted'), state(hanging, 'waiting')], [1, 1, 0])
    assert.equal(hanging.value('billhook_webhook_lanes'), 1)
    await until((shown) => (shown.value('billhook_outbox_oldest_age_seconds') ?? 0) > 0)
    held.shift()?.()
    await receiver.received(2)
    held.shift()?.()
    const empty = await until((shown) => state(shown, 'attempted') === 0 && state(shown, 'queued') === 0)
    assert.equal(empty.value('billhook_outbox_oldest_age_seconds'), 0)
  })

  test('count the payment pages that are open', async (t) => {
    const { fixture, scrape, until } = await observed(t)
    await fixture.assign(OWNER, WALLET)
    const { json } = await fixture.post('/api/invoices', invoice('10'))
    assert.equal((await scrape()).value('billhook_open_pages'), 0)
    const leaving = new AbortController()
    const events = await fetch(`${fixture.url}${json.url}/events`, { signal: leaving.signal })
    assert.equal(events.status, 200)
    assert.equal((await scrape()).value('billhook_open_pages'), 1)
    leaving.abort()
    await until((shown) => shown.value('billhook_open_pages') === 0)
  })

  test('are exactly those of the catalogue, with those of the process', async (t) => {
    const { fixture, until } = await observed(t, { BILLHOOK_RATES: 'push' })
    await fixture.get('/healthz')
    const body = JSON.stringify({ at: Date.now(), rates: { EUR: { USDT: '0.92' } } })
    await fixture.post('/internal/rates', body, gatewayHeaders(String(Date.now()), body))
    const shown = await until((one) => one.value('billhook_rates_withheld', { currency: 'EUR' }) === 0)
    const catalogue: readonly MetricAbout[] = Object.values(metricsCatalogue)
    const ours = [...shown.types].filter(([name]) => name.startsWith('billhook_'))
    assert.deepEqual(new Map(ours), new Map(catalogue.map(({ name, type }) => [name, type])))
    for (const { name, type, labelNames, help } of catalogue) {
      assert.equal(shown.helps.get(name), help)
      const series = shown.samples.filter((one) => one.name === (type === 'histogram' ? `${name}_count` : name))
      // test/service/networks.test.ts has those of a watched network.
      if (!/^billhook_(network_|endpoint_|deposits_dated_|blocks_set_aside|deposits_set_aside)/.test(name))
        assert.ok(series.length > 0, `${name} has no series`)
      for (const one of series) assert.deepEqual(Object.keys(one.labels).sort(), [...labelNames].sort(), name)
    }
    for (const idle of ['mailbox_depth', 'wallet_actors', 'verification_in_flight', 'webhook_lanes']) {
      assert.equal(shown.value(`billhook_${idle}`), 0, idle)
    }
    for (const name of ['process_resident_memory_bytes', 'nodejs_heap_size_used_bytes', 'process_cpu_seconds_total']) {
      assert.ok((shown.value(name) ?? 0) > 0, name)
    }
    assert.ok(shown.types.has('nodejs_eventloop_lag_p99_seconds'))
  })
})

describe('the metrics listener', () => {
  test('answers GET /metrics and nothing else, in the shape of every other answer', async (t) => {
    const { metricsUrl } = await observed(t)
    const good = await fetch(metricsUrl)
    assert.equal(good.headers.get('content-type'), 'text/plain; version=0.0.4; charset=utf-8')
    assert.equal(good.headers.get('x-content-type-options'), 'nosniff')
    await good.text()
    const cases: readonly [method: string, path: string, status: number, code: string][] = [
      ['GET', '/', 404, 'not_found'],
      ['GET', '/api/invoices/1', 404, 'not_found'],
      ['GET', '/healthz', 404, 'not_found'],
      ['POST', '/metrics', 405, 'method_not_allowed'],
    ]
    for (const [method, path, status, code] of cases) {
      const reply = await fetch(new URL(path, metricsUrl), { method })
      const body: unknown = await reply.json()
      assert.ok(typeof body === 'object' && body !== null && 'error' in body && 'code' in body)
      assert.deepEqual({ status: reply.status, code: body.code }, { status, code }, `${method} ${path}`)
    }
  })

  test('is not there unless a port is set, and never on the port of the service', async (t) => {
    const off = await ServiceFixture.start()
    t.after(() => off.stop())
    assert.deepEqual(off.service.banner, [])
    const { fixture } = await observed(t)
    for (const one of [off, fixture]) assert.equal((await one.get('/metrics')).status, 404)
  })

  test('listens on 127.0.0.1 alone unless told otherwise', async (t) => {
    const { fixture, metricsUrl } = await observed(t, { BILLHOOK_HOST: '0.0.0.0' })
    // Another address of the same machine, where it has it: the service answers there, the metrics do not.
    const elsewhere = (url: string) =>
      fetch(url.replace('127.0.0.1', '127.0.0.2'), { signal: AbortSignal.timeout(5000) })
    await assert.rejects(elsewhere(metricsUrl))
    if (process.platform === 'linux') assert.equal((await elsewhere(`${fixture.url}/healthz`)).status, 200)
  })

  test('keeps the service from starting, with one clear line, when its port is taken', async () => {
    const taken = createServer()
    await new Promise<void>((resolve) => taken.listen(0, '127.0.0.1', resolve))
    const { port } = taken.address() as AddressInfo
    await assert.rejects(ServiceFixture.start({ BILLHOOK_METRICS_PORT: String(port) }), {
      name: 'OperatorError',
      message: new RegExp(`^cannot listen on 127\\.0\\.0\\.1:${port}: another program uses the port$`),
    })
    await new Promise((resolve) => taken.close(resolve))
  })

  test('ends with the service', async () => {
    const fixture = await ServiceFixture.start({ BILLHOOK_METRICS_PORT: '0' })
    const url = fixture.service.banner[0]?.replace('metrics on ', '') ?? ''
    await (await fetch(url)).text()
    await fixture.stop()
    await assert.rejects(fetch(url))
  })
})
