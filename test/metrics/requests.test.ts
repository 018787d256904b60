import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { FinishedRequest } from '../../src/http/router.js'
import type { RequestHead } from '../../src/http/server.js'
import { metricsCatalogue } from '../../src/metrics/catalogue.js'
import { Metrics } from '../../src/metrics/metrics.js'
import { parseExposition } from '../support/exposition.js'

const COUNT = `${metricsCatalogue.requests.name}_count`

function finished(method: string, pattern: string | undefined, status: number): FinishedRequest {
  const head: RequestHead = {
    method,
    path: '/api/users/somebody/invoices',
    query: 'secret=1',
    header: () => undefined,
    requestId: '',
    remoteAddress: () => '127.0.0.1',
  }
  return { head, method, pattern, status, durationMs: 2 }
}

function setUp() {
  const metrics = new Metrics()
  return { observe: metrics.requests, exposition: async () => parseExposition(await metrics.text()) }
}

describe('the metrics of requests', () => {
  test('count each route, method and status apart, in seconds', async () => {
    const { observe, exposition } = setUp()
    const pattern = '/api/users/:id/invoices'
    for (const status of [200, 200, 404, 200]) observe(finished('GET', pattern, status))
    observe(finished('HEAD', pattern, 200))
    observe(finished('GET', '/healthz', 200))
    const shown = await exposition()
    assert.equal(shown.value(COUNT, { method: 'GET', route: pattern, status: '200' }), 3)
    assert.equal(shown.value(COUNT, { method: 'GET', route: pattern, status: '404' }), 1)
    assert.equal(shown.value(COUNT, { method: 'HEAD', route: pattern, status: '200' }), 1)
    assert.equal(shown.value(COUNT, { method: 'GET', route: '/healthz', status: '200' }), 1)
    const sum = shown.value(`${metricsCatalogue.requests.name}_sum`, { method: 'GET', route: pattern, status: '404' })
    assert.equal(sum, 0.002)
  })

  test('do not grow with methods and paths that clients invent', async () => {
    const { observe, exposition } = setUp()
    for (let i = 0; i < 1000; i += 1) observe(finished(`M${i}`, undefined, 404))
    observe(finished('constructor', undefined, 404))
    const shown = await exposition()
    assert.equal(shown.samples.filter(({ name }) => name === COUNT).length, 1)
    assert.equal(shown.value(COUNT, { method: 'other', route: 'none', status: '404' }), 1001)
  })
})
