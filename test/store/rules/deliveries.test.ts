import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { type Delivery, type DeliveryResult, INTERRUPTED } from '../../../src/domain/webhook.js'
import { answeredNow } from '../../../src/store/rules/asking.js'
import { adjust, endAttempt, redeliver, release, settleAll } from '../../../src/store/rules/deliveries.js'

const NOW = 1_700_000_000_000
const DELIVERED: DeliveryResult = { kind: 'answered', httpStatus: 204, durationMs: 5 }
const REFUSED: DeliveryResult = { kind: 'answered', httpStatus: 503, durationMs: 5 }

function delivery(fields: Partial<Delivery> = {}): Delivery {
  return {
    id: 'a'.repeat(32),
    owner: 'alice',
    invoiceId: 'b'.repeat(32),
    status: 'pending',
    event: null,
    url: 'https://shop.example/',
    body: '{}',
    state: 'attempted',
    createdAt: NOW - 100,
    attemptedAt: NOW - 10,
    attempts: 3,
    attemptsBefore: 1,
    nextAttemptAt: null,
    result: null,
    ...fields,
  }
}

describe('the end of an attempt', () => {
  const failed = { id: 'a'.repeat(32), status: 'pending', attempt: 3, event: null }
  const rows = [
    { of: 'that was delivered settles it', result: DELIVERED, next: null, state: 'settled', told: null },
    { of: 'that failed has it wait', result: REFUSED, next: NOW + 9, state: 'waiting', told: null },
    {
      of: 'that failed the last time tells its owner',
      result: REFUSED,
      next: null,
      state: 'settled',
      told: { ...failed, httpStatus: 503, failure: null },
    },
    {
      of: 'that was interrupted tells its owner',
      result: INTERRUPTED,
      next: null,
      state: 'settled',
      told: { ...failed, httpStatus: null, failure: 'interrupted' },
    },
  ] as const
  for (const { of, result, next, state, told } of rows) {
    test(of, () => {
      const ended = endAttempt(delivery(), result, () => next)
      assert.deepEqual(ended, { delivery: delivery({ state, nextAttemptAt: next, result }), failed: told })
    })
  }

  for (const state of ['queued', 'waiting', 'settled'] as const) {
    test(`is none of a delivery that is ${state}`, () => {
      const mustNotBeAsked = () => assert.fail('a retry was decided')
      assert.throws(() => endAttempt(delivery({ state }), DELIVERED, mustNotBeAsked), /not being attempted/)
    })
  }
})

describe('a delivery that is due', () => {
  const due = delivery({ state: 'waiting', nextAttemptAt: NOW, result: REFUSED })

  test('is queued, and its attempts go on', () => {
    assert.deepEqual(release(due, 3), { delivery: { ...due, state: 'queued', nextAttemptAt: null }, failed: null })
  })

  test('is settled where it has had its attempts, and its owner is told of the last one', () => {
    const { delivery: next, failed } = release(due, 2)
    assert.deepEqual(next, { ...due, state: 'settled', nextAttemptAt: null })
    assert.deepEqual(failed, { id: due.id, status: 'pending', attempt: 3, httpStatus: 503, failure: null, event: null })
  })
})

describe('a redelivery', () => {
  function attempt(known: Delivery | undefined, id = 'a'.repeat(32)) {
    const queued: [Delivery, Delivery][] = []
    const work = {
      readClock: () => NOW,
      delivery: () => known,
      queue: (next: Delivery, before: Delivery) => {
        queued.push([next, before])
        return { id: next.id, lane: 'lane', owner: next.owner }
      },
    }
    return { outcome: answeredNow(redeliver(work, 'alice', id)), queued }
  }

  const settled = delivery({ state: 'settled', result: REFUSED, attemptsBefore: 0 })
  for (const { of, known } of [
    { of: 'that is settled', known: settled },
    { of: 'that waits', known: { ...settled, state: 'waiting', nextAttemptAt: NOW + 1 } as const },
  ]) {
    test(`of one ${of} counts its attempts from 0 again`, () => {
      const { outcome, queued } = attempt(known)
      const next = { ...settled, state: 'queued', attemptsBefore: 3, nextAttemptAt: null }
      const owed = { id: settled.id, lane: 'lane', owner: 'alice' }
      assert.deepEqual(outcome, { ok: true, value: { delivery: next, owed } })
      assert.deepEqual(queued, [[next, known]])
    })
  }

  const refusals = [
    { of: 'that is not there', known: undefined, code: 'delivery_not_found' },
    { of: 'of another owner', known: { ...settled, owner: 'bob' }, code: 'delivery_not_found' },
    { of: 'that is queued', known: delivery({ state: 'queued' }), code: 'delivery_in_progress' },
    { of: 'that is being sent', known: delivery(), code: 'delivery_in_progress' },
    {
      of: 'that was redelivered a moment ago',
      known: { ...settled, attemptsBefore: 1 },
      code: 'too_many_redeliveries',
    },
  ]
  for (const { of, known, code } of refusals) {
    test(`of one ${of} is refused`, () => {
      const { outcome, queued } = attempt(known)
      assert.equal(outcome.ok ? null : outcome.failure.code, code)
      assert.deepEqual(queued, [])
    })
  }

  test('by a text that is no id is refused without asking the engine', () => {
    for (const id of ['', 'a', 'A'.repeat(32)]) {
      const { outcome } = attempt(settled, id)
      assert.equal(outcome.ok ? null : outcome.failure.code, 'delivery_not_found')
    }
  })
})

describe('a clock that was set back', () => {
  const ahead = delivery({ state: 'waiting', attemptedAt: NOW + 500, nextAttemptAt: NOW + 700 })
  const rows = [
    { of: 'a delivery that waits', before: ahead, after: { ...ahead, attemptedAt: NOW, nextAttemptAt: NOW + 200 } },
    { of: 'one that was attempted before', before: { ...ahead, attemptedAt: NOW }, after: null },
    { of: 'one that does not wait any more', before: { ...ahead, state: 'queued' } as const, after: null },
  ]
  for (const { of, before, after } of rows) {
    test(`${after === null ? 'leaves' : 'does not prolong the pause of'} ${of}`, () => {
      assert.deepEqual(adjust(before, NOW), after)
    })
  }
})

describe('attempts that were interrupted', () => {
  test('are ended batch by batch, until one is not full', async () => {
    const found = [1000, 1000, 7]
    assert.equal(await settleAll(async (limit) => Math.min(limit, found.shift() ?? assert.fail('asked again'))), 2007)
    assert.deepEqual(found, [])
  })
})
