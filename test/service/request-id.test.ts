import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { createLog } from '../../src/log.js'
import { HTTP_ENGINES } from '../support/http-engines.js'
import { ServiceFixture } from '../support/service-fixture.js'

const NEW = /^[0-9a-f]{16}$/

for (const engine of HTTP_ENGINES) {
  describe(`every answer says which request it is for (${engine})`, () => {
    const lines: string[] = []
    let fixture: ServiceFixture
    before(async () => {
      const log = createLog('debug', { write: (line) => lines.push(line) })
      fixture = await ServiceFixture.start({ BILLHOOK_HTTP: engine, BILLHOOK_SANDBOX: 'on' }, log)
    })
    after(() => fixture.stop())

    const calls = [
      ['GET', '/healthz', 200],
      ['HEAD', '/healthz', 200],
      ['OPTIONS', '/api/invoices', 204],
      ['GET', '/api/users/shop/invoices', 200],
      ['GET', '/api/invoices/0', 404],
      ['GET', '/pay/0', 404],
      ['GET', '/nothing', 404],
      ['DELETE', '/healthz', 405],
      ['POST', '/api/invoices', 400],
      ['GET', '/healthz?x=1', 400],
    ] as const
    for (const [method, path, status] of calls) {
      test(`${method} ${path}`, async () => {
        const body = method === 'POST' ? { body: {} } : {}
        const own = `${method}~${engine}`
        const answered = await fixture.call(method, path, { headers: { 'X-Request-Id': own }, ...body })
        assert.deepEqual([answered.status, answered.headers.get('x-request-id')], [status, own])
        const named = lines.map((line) => JSON.parse(line)).filter(({ requestId }) => requestId === own)
        assert.ok(
          named.some((line) => line.status === status && line.method === method),
          lines.at(-1),
        )
        for (const headers of [{}, { 'X-Request-Id': 'not fit' }]) {
          const { headers: got } = await fixture.call(method, path, { headers, ...body })
          assert.match(got.get('x-request-id') ?? '', NEW)
        }
      })
    }

    test('a body that is too large', async () => {
      const reply = await fixture.post('/api/invoices', 'x'.repeat(70_000), { 'X-Request-Id': 'large' })
      assert.deepEqual([reply.status, reply.headers.get('x-request-id')], [413, 'large'])
    })
  })
}
