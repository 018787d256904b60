import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { clientReader } from '../../src/http/client-address.js'
import { jsonAnswer } from '../../src/http/failure-response.js'
import { limitRates } from '../../src/http/rate-limits.js'
import type { Route } from '../../src/http/router.js'
import { ManualClock } from '../support/manual-clock.js'
import { assertRefused, type Reply, ServiceFixture } from '../support/service-fixture.js'
import { callRoute } from './routes/call-route.js'

const REFUSAL = [429, 'Too many requests from this address. Try again later.', 'rate_limited'] as const

function route(method: Route['method'], pattern: string): Route {
  return { method, pattern, handle: () => jsonAnswer(200, {}) }
}

const ROUTES = [
  route('GET', '/api/wallets/claim/sep/eth'),
  route('POST', '/api/invoices'),
  route('GET', '/pay/:id'),
  route('GET', '/healthz'),
  route('GET', '/readyz'),
  route('POST', '/internal/events'),
]

function limited(requestsPerMinute: number, claimsPerMinute: number, clock = new ManualClock()): Route[] {
  return limitRates(ROUTES, { requestsPerMinute, claimsPerMinute, clientOf: clientReader([]), clock })
}

async function statuses(routes: readonly Route[], ...calls: readonly string[]): Promise<number[]> {
  const answered: number[] = []
  for (const call of calls) {
    const [method = '', path = ''] = call.split(' ')
    answered.push((await callRoute(routes, method, path)).status)
  }
  return answered
}

describe('rate limits', () => {
  test('that are off leave every route as it is', () => {
    assert.ok(limited(0, 0).every((one, i) => one === ROUTES[i]))
  })

  test('count requests to the API and to payment pages together, refused ones not', async () => {
    const clock = new ManualClock()
    const routes = limited(2, 0, clock)
    const calls = ['POST /api/invoices', 'GET /pay/x', 'GET /pay/x', 'POST /api/invoices']
    assert.deepEqual(await statuses(routes, ...calls), [200, 200, 429, 429])
    clock.advance(30_000)
    assert.deepEqual(await statuses(routes, ...calls.slice(0, 2)), [200, 429])
  })

  test('never touch health checks and the gateway', async () => {
    const routes = limited(1, 1)
    for (const call of ['GET /healthz', 'GET /readyz', 'POST /internal/events']) {
      assert.deepEqual(await statuses(routes, call, call, call), [200, 200, 200])
    }
  })

  test('of claims leave other requests alone, and HEAD, which claims nothing', async () => {
    const routes = limited(0, 1)
    const claim = 'GET /api/wallets/claim/sep/eth'
    const calls = ['HEAD /api/wallets/claim/sep/eth', claim, claim, 'GET /pay/x', 'GET /pay/x']
    assert.deepEqual(await statuses(routes, ...calls), [200, 200, 429, 200, 200])
  })

  test('say when to come again', async () => {
    const routes = limited(1, 0)
    await callRoute(routes, 'GET', '/pay/x')
    const { headers } = await callRoute(routes, 'GET', '/pay/x')
    assert.equal(headers['Retry-After'], '60')
  })
})

for (const engine of ['uws', 'node']) {
  describe(`the service on ${engine}`, () => {
    test('refuses the one address that asks too much, before anything is done for it', async (t) => {
      const fixture = await ServiceFixture.start({
        BILLHOOK_HTTP: engine,
        BILLHOOK_RATE_LIMIT: '3',
        BILLHOOK_TRUSTED_PROXIES: '127.0.0.1/32',
      })
      t.after(() => fixture.stop())
      const put = (client: string, path: string): Promise<Reply> =>
        fixture.call('PUT', '/api/users/shop/webhook', {
          body: { callbackUrl: `https://shop.example/${path}` },
          headers: { 'X-Forwarded-For': client },
        })
      for (const path of ['1', '2', '3']) assert.equal((await put('192.0.2.1', path)).status, 200)
      const refused = await put('192.0.2.1', '4')
      assertRefused(refused, ...REFUSAL)
      assert.equal(refused.headers.get('retry-after'), '20')
      // What the client itself writes into the header stands before what the proxy adds.
      assertRefused(await put('203.0.113.1, 192.0.2.1', '4'), ...REFUSAL)
      const shown = await fixture.call('GET', '/api/users/shop/webhook', {
        headers: { 'X-Forwarded-For': '192.0.2.2' },
      })
      assert.equal(shown.json.callback_url, 'https://shop.example/3')
      assert.equal((await fixture.get('/healthz')).status, 200)
    })
  })
}

test('the service limits no rate unless told to', async (t) => {
  const fixture = await ServiceFixture.start()
  t.after(() => fixture.stop())
  for (let requests = 0; requests < 200; requests += 1) {
    assert.equal((await fixture.get('/api/users/shop/webhook')).status, 200)
  }
})
