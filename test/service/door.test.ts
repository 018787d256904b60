import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { type Environment, readSettings } from '../../src/config.js'
import { clientReader } from '../../src/http/guards/client-address.js'
import { Limiters } from '../../src/http/guards/rate-limiter.js'
import { healthHandlers } from '../../src/http/routes/health.js'
import { internalEventsHandlers } from '../../src/http/routes/internal-events.js'
import { doorGuards } from '../../src/service/door.js'
import { headFrom } from '../http/head-from.js'
import { openAccess, routesOf } from '../http/routes/call-route.js'
import { ManualClock } from '../support/manual-clock.js'
import { TEST_NETWORKS } from '../support/networks.js'

const SECRET = '0123456789abcdef'

const HANDLERS = {
  ...healthHandlers({
    isStoreOpen: () => true,
    takesWrites: () => true,
    isPoolReady: () => true,
    isDraining: () => false,
    degradations: () => [],
    notes: () => [],
  }),
}

/** How many requests a client gets through at once, up to a thousand. */
function admitted(environment: Environment, peer: string, path = '/nothing'): number {
  const read = readSettings([], environment)
  assert.ok('settings' in read, JSON.stringify(read))
  const { settings } = read
  const clock = new ManualClock()
  const gateway = { secrets: [SECRET], clock, complaints: { rejected: () => undefined } }
  const events = internalEventsHandlers({ intake: { apply: () => assert.fail() }, networks: TEST_NETWORKS, ...gateway })
  const handlers = settings.gatewaySecrets.length === 0 ? HANDLERS : { ...HANDLERS, ...events }
  const routes = routesOf(handlers, { access: { ...openAccess, gateway } })
  const guards = doorGuards(routes, {
    settings,
    clientOf: clientReader(settings.trustedProxies),
    limiters: new Limiters(clock),
  })
  const head = { ...headFrom(peer, { host: 'localhost' }), path }
  let count = 0
  while (count < 1000 && guards.every((guard) => guard(head) === null)) count += 1
  return count
}

describe('the limit of requests, unless it is set,', () => {
  const rows: readonly (readonly [environment: Environment, peer: string, limit: number])[] = [
    [{}, '127.0.0.1', 1000],
    [{ BILLHOOK_HOST: '::1' }, '::1', 1000],
    [{ BILLHOOK_HOST: '0.0.0.0' }, '192.0.2.1', 600],
    [{ BILLHOOK_HOST: 'billhook.example' }, '192.0.2.1', 600],
    [{ BILLHOOK_HOST: '0.0.0.0' }, '127.0.0.1', 1000],
    [{ BILLHOOK_TRUSTED_PROXIES: '10.0.0.0/8' }, '192.0.2.1', 600],
    [{ BILLHOOK_TRUSTED_PROXIES: '10.0.0.0/8' }, '127.0.0.1', 1000],
  ]
  for (const [environment, peer, limit] of rows) {
    test(`with ${JSON.stringify(environment)} is ${limit === 1000 ? 'none' : limit} for ${peer}`, () =>
      assert.equal(admitted(environment, peer), limit))
  }
})

describe('the limit of requests that is set', () => {
  test('holds for every client', () => {
    for (const host of ['127.0.0.1', '0.0.0.0']) {
      const environment = { BILLHOOK_HOST: host, BILLHOOK_RATE_LIMIT: '7' }
      for (const peer of ['127.0.0.1', '192.0.2.1']) assert.equal(admitted(environment, peer), 7)
    }
  })

  test('can be none', () => {
    assert.equal(admitted({ BILLHOOK_HOST: '0.0.0.0', BILLHOOK_RATE_LIMIT: '0' }, '192.0.2.1'), 1000)
  })

  test('spares health checks, and pushes where there is a gateway', () => {
    const limited = { BILLHOOK_RATE_LIMIT: '7' }
    for (const path of ['/healthz', '/readyz']) assert.equal(admitted(limited, '192.0.2.1', path), 1000)
    assert.equal(admitted(limited, '192.0.2.1', '/%68ealthz'), 7)
    assert.equal(admitted(limited, '192.0.2.1', '/internal/events'), 7)
    const withGateway = { ...limited, BILLHOOK_GATEWAY_SECRET: SECRET }
    assert.equal(admitted(withGateway, '192.0.2.1', '/internal/events'), 1000)
    assert.equal(admitted(withGateway, '192.0.2.1', '/internal/events/'), 7)
  })
})
