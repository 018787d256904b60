import assert from 'node:assert/strict'
import { test } from 'node:test'
import { succeed } from '../../../src/domain/failure.js'
import type { Delivery } from '../../../src/domain/webhook.js'
import { Limiters } from '../../../src/http/guards/rate-limiter.js'
import { deliveryHandlers } from '../../../src/http/routes/webhooks.js'
import { ManualClock, START_MS } from '../../support/manual-clock.js'
import { unlimitedLists } from '../../support/unlimited-lists.js'
import { callRoute } from './call-route.js'

const PER_MINUTE = 60

function settled(id: string, owner: string): Delivery {
  return {
    id,
    owner,
    invoiceId: 'i',
    status: 'pending',
    event: null,
    url: 'http://shop.test/',
    body: '{"reference":"r","txHash":"0x1"}',
    state: 'settled',
    createdAt: START_MS,
    attemptedAt: START_MS,
    attempts: 1,
    attemptsBefore: 0,
    nextAttemptAt: null,
    result: { kind: 'answered', httpStatus: 200, durationMs: 1 },
  }
}

test('an owner may have 60 deliveries sent again in a minute, and what is refused uses up nothing', async () => {
  const clock = new ManualClock()
  const told: string[] = []
  const handlers = deliveryHandlers({
    lists: unlimitedLists(),
    tests: { send: () => assert.fail('a test was sent') },
    clock,
    limiters: new Limiters(clock),
    basePath: '',
    outbox: {
      page: () => ({ items: [], next: null }),
      nextOf: () => null,
      find: (id) => (id === 'missing' ? undefined : settled(id, id.startsWith('bob') ? 'bob' : 'alice')),
      redeliver: async (owner, id) => succeed({ delivery: settled(id, owner), owed: { id, owner, lane: '' } }),
    },
    onOwed: (owed) => told.push(...owed.map(({ id }) => id)),
  })
  const redeliver = (owner: string, id: string) =>
    callRoute(handlers, 'POST', `/api/users/${owner}/webhook/deliveries/${id}/redeliver`)

  for (let n = 0; n < 100; n += 1) {
    assert.equal((await redeliver('alice', 'missing')).status, 404)
    assert.equal((await redeliver('alice', `bob ${n}`)).status, 404)
  }
  for (let n = 0; n < PER_MINUTE; n += 1) assert.equal((await redeliver('alice', String(n))).status, 200)
  const refused = await redeliver('alice', 'one more')
  assert.deepEqual(
    [refused.status, refused.headers['Retry-After'], refused.body],
    [429, '1', { error: 'Too many redeliveries. Try again later.', code: 'too_many_redeliveries' }],
  )
  assert.equal((await redeliver('bob', 'bob 1')).status, 200)
  clock.advance(1000)
  assert.equal((await redeliver('alice', 'one more')).status, 200)
  assert.equal(told.length, PER_MINUTE + 2)
})
