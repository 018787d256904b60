import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { refuse, succeed } from '../../../src/domain/failure.js'
import { Limiters } from '../../../src/http/guards/rate-limiter.js'
import { deliveryHandlers } from '../../../src/http/routes/webhooks.js'
import { ManualClock } from '../../support/manual-clock.js'
import { openReceiver, type Receiver } from '../../support/receiver.js'
import { assertRefused, ServiceFixture } from '../../support/service-fixture.js'
import { unlimitedLists } from '../../support/unlimited-lists.js'
import { callRoute } from './call-route.js'

describe('POST /api/users/:id/webhook/test', () => {
  let fixture: ServiceFixture
  let receiver: Receiver
  let status = 200
  before(async () => {
    fixture = await ServiceFixture.start()
    receiver = await openReceiver((_request, response) => response.writeHead(status).end())
  })
  after(async () => {
    await fixture.stop()
    await receiver.close()
  })

  for (const [answer, state] of [
    [204, 'delivered'],
    [500, 'failed'],
  ] as const) {
    test(`tells that a receiver that answers ${answer} has ${state}, and lists nothing`, async () => {
      status = answer
      const owner = `shop-${answer}`
      const url = `${receiver.url}/${answer}`
      await fixture.call('PUT', `/api/users/${owner}/webhook`, { body: { callbackUrl: url } })
      const reply = await fixture.call('POST', `/api/users/${owner}/webhook/test`)
      const { id, durationMs } = reply.json
      assert.equal(reply.status, 200)
      assert.deepEqual(reply.json, { id, url, state, httpStatus: answer, failure: null, durationMs })
      const request = receiver.requests.at(-1)
      assert.equal(request?.headers['webhook-id'], id)
      assert.equal(JSON.parse(request?.body.toString() ?? '').test, true)
      assert.deepEqual((await fixture.get(`/api/users/${owner}/webhook/deliveries`)).json, [])
    })
  }

  test('tells a failure', async () => {
    const closed = await openReceiver()
    await closed.close()
    await fixture.call('PUT', '/api/users/gone/webhook', { body: { callbackUrl: closed.url } })
    const { json } = await fixture.call('POST', '/api/users/gone/webhook/test')
    assert.deepEqual([json.state, json.httpStatus, json.failure], ['failed', null, 'connection'])
  })

  test('is refused without a default callback URL', async () => {
    const reply = await fixture.call('POST', '/api/users/nobody/webhook/test')
    assertRefused(reply, 400, 'This identity has no default callback URL.', 'no_callback_url')
  })
})

test('six test deliveries a minute may be asked for by an owner, one at a time', async () => {
  const clock = new ManualClock()
  let isBusy = false
  const result = { kind: 'answered', httpStatus: 200, durationMs: 1 } as const
  const tests = { send: async () => (isBusy ? refuse('too_many_tests') : succeed({ id: '', url: '', result })) }
  const handlers = deliveryHandlers({
    lists: unlimitedLists(),
    tests,
    clock,
    limiters: new Limiters(clock),
    basePath: '',
    outbox: {
      page: () => assert.fail(),
      nextOf: () => assert.fail(),
      find: () => assert.fail(),
      redeliver: () => assert.fail(),
    },
    onOwed: () => assert.fail(),
  })
  const send = (owner: string) => callRoute(handlers, 'POST', `/api/users/${owner}/webhook/test`)
  for (let n = 0; n < 6; n += 1) assert.equal((await send('alice')).status, 200)
  const refused = await send('alice')
  assert.deepEqual([refused.status, refused.headers['Retry-After']], [429, '10'])
  assert.equal((await send('bob')).status, 200)
  isBusy = true
  const busy = await send('carol')
  assert.deepEqual([busy.status, busy.headers['Retry-After']], [429, '8'])
})
