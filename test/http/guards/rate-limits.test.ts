import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { jsonAnswer } from '../../../src/http/failure-response.js'
import { clientReader } from '../../../src/http/guards/client-address.js'
import { limitClaimRates, limitRequests } from '../../../src/http/guards/rate-limits.js'
import type { Admit, Route } from '../../../src/http/router.js'
import { ManualClock } from '../../support/manual-clock.js'
import { assertRefused, type Reply, ServiceFixture } from '../../support/service-fixture.js'
import { headFrom } from '../head-from.js'
import { callRoute } from '../routes/call-route.js'

const REFUSAL = [429, 'Too many requests from this address. Try again later.', 'rate_limited'] as const

function route(method: Route['method'], pattern: string): Route {
  return { method, pattern, handle: () => jsonAnswer(200, {}) }
}

const CLAIM = '/api/wallets/claim/sep/eth'
const ROUTES = [route('GET', CLAIM), route('GET', '/pay/:id')]

interface LimitedClient {
  readonly perMinute?: number
  readonly sparesLoopback?: boolean
  readonly clock?: ManualClock
}

function limited({ perMinute = 2, sparesLoopback = false, clock = new ManualClock() }: LimitedClient = {}): Admit {
  const uncounted = new Set(['/healthz'])
  const clientOf = clientReader([])
  const admit = limitRequests({ requestsPerMinute: perMinute, sparesLoopback, uncounted, clientOf, clock })
  assert.ok(admit)
  return admit
}

/** Whether each request passed, in order. */
function passed(admit: Admit, peer: string, ...calls: readonly string[]): boolean[] {
  return calls.map((call) => {
    const [method = '', path = ''] = call.split(' ')
    return admit({ ...headFrom(peer), method, path }) === null
  })
}

describe('the limit of requests', () => {
  test('that is off is none', () => {
    const off = { requestsPerMinute: 0, sparesLoopback: true, uncounted: new Set(''), clock: new ManualClock() }
    assert.equal(limitRequests({ ...off, clientOf: clientReader([]) }), undefined)
  })

  test('counts every request, whatever path and method, but not those that it refused', () => {
    const clock = new ManualClock()
    const admit = limited({ clock })
    const calls = ['POST /api/invoices', 'BREW /nothing', 'GET /pay/x', 'DELETE /']
    assert.deepEqual(passed(admit, '192.0.2.1', ...calls), [true, true, false, false])
    clock.advance(30_000)
    assert.deepEqual(passed(admit, '192.0.2.1', ...calls.slice(0, 2)), [true, false])
  })

  test('counts each address by itself', () => {
    const admit = limited({ perMinute: 1 })
    for (const peer of ['192.0.2.1', '192.0.2.2', '127.0.0.1']) {
      assert.deepEqual(passed(admit, peer, 'GET /a', 'GET /a'), [true, false], peer)
    }
  })

  test('never counts the uncounted paths, only in their plain spelling', () => {
    const admit = limited({ perMinute: 1 })
    assert.deepEqual(passed(admit, '192.0.2.1', 'GET /healthz', 'GET /healthz', 'GET /healthz'), [true, true, true])
    assert.deepEqual(passed(admit, '192.0.2.1', 'GET /%68ealthz', 'GET /%68ealthz'), [true, false])
  })

  test('can spare clients on this machine', () => {
    const admit = limited({ perMinute: 1, sparesLoopback: true })
    assert.deepEqual(passed(admit, '127.0.0.1', 'GET /a', 'GET /a'), [true, true])
    assert.deepEqual(passed(admit, '::1', 'GET /a', 'GET /a'), [true, true])
    assert.deepEqual(passed(admit, '192.0.2.1', 'GET /a', 'GET /a'), [true, false])
  })

  test('says when to come again', () => {
    const admit = limited({ perMinute: 1 })
    admit(headFrom('192.0.2.1'))
    assert.deepEqual(admit(headFrom('192.0.2.1'))?.headers, { 'Retry-After': '60' })
  })
})

describe('the limit of claims', () => {
  const limits = (claimsPerMinute: number) =>
    limitClaimRates(ROUTES, { claimsPerMinute, clientOf: clientReader([]), clock: new ManualClock() })

  test('that is off leaves every route as it is', () => assert.equal(limits(0), ROUTES))

  test('leaves other requests alone, and HEAD, which claims nothing', async () => {
    const routes = limits(1)
    const statuses: number[] = []
    for (const [method, path] of [
      ['HEAD', CLAIM],
      ['GET', CLAIM],
      ['GET', CLAIM],
      ['GET', '/pay/x'],
    ] as const) {
      statuses.push((await callRoute(routes, method, path)).status)
    }
    assert.deepEqual(statuses, [200, 200, 429, 200])
  })

  test('says when to come again', async () => {
    const routes = limits(1)
    await callRoute(routes, 'GET', CLAIM)
    assert.equal((await callRoute(routes, 'GET', CLAIM)).headers['Retry-After'], '60')
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
