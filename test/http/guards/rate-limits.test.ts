import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { refuse } from '../../../src/domain/failure.js'
import { clientReader } from '../../../src/http/guards/client-address.js'
import { Limiters, limitRate, type RateLimitSettings } from '../../../src/http/guards/rate-limiter.js'
import { identityHandlers } from '../../../src/http/routes/identities.js'
import { walletHandlers } from '../../../src/http/routes/wallets.js'
import type { HeadGuard } from '../../../src/http/server.js'
import { createLog } from '../../../src/log.js'
import { HTTP_ENGINES } from '../../support/http-engines.js'
import { ManualClock } from '../../support/manual-clock.js'
import { assertRefused, type Reply, ServiceFixture } from '../../support/service-fixture.js'
import { unlimitedLists } from '../../support/unlimited-lists.js'
import { headFrom } from '../head-from.js'
import { callRoute } from '../routes/call-route.js'

const REFUSAL = [429, 'Too many requests from this address. Try again later.', 'rate_limited'] as const

const CLAIM = '/api/wallets/claim/sep/eth'

interface LimitedClient {
  readonly perMinute?: number
  readonly counts?: RateLimitSettings['counts']
  readonly clock?: ManualClock
}

function limited({ perMinute = 2, counts = () => true, clock = new ManualClock() }: LimitedClient = {}): HeadGuard {
  const guard = limitRate({
    perMinute,
    counts,
    clientOf: clientReader([]),
    limiters: new Limiters(clock),
    name: 'requests',
  })
  assert.ok(guard)
  return guard
}

/** Whether each request passed, in order. */
function passed(admit: HeadGuard, peer: string, ...calls: readonly string[]): boolean[] {
  return calls.map((call) => {
    const [method = '', path = ''] = call.split(' ')
    return admit({ ...headFrom(peer), method, path }) === null
  })
}

describe('the limit of requests', () => {
  test('that is off is none', () => {
    const clock = new ManualClock()
    assert.equal(
      limitRate({
        perMinute: 0,
        counts: () => true,
        limiters: new Limiters(clock),
        name: 'requests',
        clientOf: clientReader([]),
      }),
      null,
    )
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

  test('leaves out what it is told to leave out, by path or by client', () => {
    const noHealth = limited({ perMinute: 1, counts: ({ path }) => path !== '/healthz' })
    assert.deepEqual(passed(noHealth, '192.0.2.1', 'GET /healthz', 'GET /healthz', 'GET /a'), [true, true, true])
    const notHere = limited({ perMinute: 1, counts: (_head, { isLoopback }) => !isLoopback })
    for (const peer of ['127.0.0.1', '::1']) {
      assert.deepEqual(passed(notHere, peer, 'GET /a', 'GET /a'), [true, true])
    }
    assert.deepEqual(passed(notHere, '192.0.2.1', 'GET /a', 'GET /a'), [true, false])
  })

  test('says when to come again', () => {
    const admit = limited({ perMinute: 1 })
    admit(headFrom('192.0.2.1'))
    assert.equal(admit(headFrom('192.0.2.1'))?.retryAfterSeconds, 60)
  })
})

describe('the limit of claims', () => {
  const call = (claimRate: HeadGuard, method: string, path: string) =>
    callRoute(handlers, method, path, {}, { claimRate })
  const handlers = {
    ...walletHandlers({
      lists: unlimitedLists(),
      wallets: { claim: async () => null, page: () => ({ items: [], next: null }) },
      claims: new Map([['sep/eth', 'SEP']]),
      leaseMs: 0,
      claimLimit: { claim: async () => refuse('no_wallet_available') },
    }),
    ...identityHandlers({ exists: async () => true }),
  }

  test('leaves other requests alone', async () => {
    const claimRate = limited({ perMinute: 1, counts: ({ method }) => method !== 'HEAD' })
    const statuses: number[] = []
    for (const [method, path] of [
      ['HEAD', CLAIM],
      ['GET', CLAIM],
      ['GET', CLAIM],
      ['GET', '/api/users/shop/wallets'],
      ['GET', '/api/identity/x/exists'],
    ] as const) {
      statuses.push((await call(claimRate, method, path)).status)
    }
    // No wallet is available, so a claim that passes is answered with 503.
    assert.deepEqual(statuses, [200, 503, 429, 200, 200])
  })

  test('says when to come again', async () => {
    const claimRate = limited({ perMinute: 1 })
    await call(claimRate, 'GET', CLAIM)
    assert.equal((await call(claimRate, 'GET', CLAIM)).headers['Retry-After'], '60')
  })
})

for (const engine of HTTP_ENGINES) {
  describe(`the service on ${engine}`, () => {
    test('refuses the one address that asks too much, before anything is done for it', async (t) => {
      const settings = { BILLHOOK_HTTP: engine, BILLHOOK_RATE_LIMIT: '3', BILLHOOK_TRUSTED_PROXIES: '127.0.0.1/32' }
      const fixture = await ServiceFixture.start(settings, createLog('silent'), new ManualClock())
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
