import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Delivery, DeliveryResult } from '../../src/domain/webhook.js'
import { OutboxLane } from '../../src/webhooks/outbox-lane.js'
import { Pool } from '../../src/webhooks/pool.js'
import { throwIt } from '../support/throw-it.js'
import { TIMED_OUT } from './outbox-model.js'

const WINDOW_MAX = 16

function answeredAfter(durationMs: number): DeliveryResult {
  return { kind: 'answered', httpStatus: 200, durationMs }
}

/** A queued delivery whose id is its number, of an invoice of its own unless one is named, or null for none. */
function queued(n: number, invoiceId: string | null = `invoice ${n}`): Delivery {
  return {
    id: n.toString(16).padStart(32, '0'),
    owner: 'owner',
    invoiceId,
    status: 'pending',
    event: null,
    url: 'http://shop.test/',
    body: '{}',
    state: 'queued',
    createdAt: 0,
    attemptedAt: null,
    attempts: 0,
    attemptsBefore: 0,
    nextAttemptAt: null,
    result: null,
  }
}

const [first, second, third, fourth] = [queued(1), queued(2), queued(3), queued(4)]

/** Reads what the lane asks for of a queue, as the store would answer. */
function read(lane: OutboxLane, queue: readonly Delivery[], wanted: number): readonly Delivery[] {
  const asked = lane.beginRead(wanted)
  if (asked === null) return []
  const { after, limit } = asked
  const rows = queue.filter(({ id }) => after === null || id > after).slice(0, limit)
  lane.endRead(rows, limit)
  return rows
}

/** Begins what the lane chooses. */
function begin(lane: OutboxLane, wanted: number): readonly Delivery[] {
  const chosen = lane.choose(wanted)
  for (const one of chosen) lane.add(one)
  return chosen
}

describe('the attempts that a receiver gets at once', () => {
  for (const [what, results, room] of [
    ['are few at first', [], 2],
    ['double with each quick answer', [999, 999], 8],
    ['grow up to the bound', [1, 1, 1, 1, 1, 1], 16],
    ['grow by one when an answer takes longer', [1000, 3999], 4],
    ['are halved when an answer comes late', [1, 1, 1, 4000], 8],
    ['are never fewer than at first because of late answers', [1, 4000, 7000, 7000], 2],
  ] as const) {
    test(what, () => {
      const lane = new OutboxLane('lane', 'owner', WINDOW_MAX, throwIt)
      for (const durationMs of results) lane.learn(answeredAfter(durationMs))
      assert.equal(lane.room, room)
    })
  }

  test('are one after a timeout, and grow again with quick answers only', () => {
    const lane = new OutboxLane('lane', 'owner', WINDOW_MAX, throwIt)
    for (let n = 0; n < 5; n += 1) lane.learn(answeredAfter(1))
    lane.learn(TIMED_OUT)
    assert.equal(lane.room, 1)
    lane.learn(answeredAfter(7000))
    assert.equal(lane.room, 1)
    lane.learn(answeredAfter(1))
    assert.equal(lane.room, 2)
  })

  test('do not count what was answered and is being recorded', () => {
    const lane = new OutboxLane('lane', 'owner', WINDOW_MAX, throwIt)
    lane.add(first)
    lane.add(second)
    assert.equal(lane.room, 0)
    lane.answered(first)
    lane.answered(first)
    assert.equal(lane.room, 1)
  })
})

describe('what comes next', () => {
  test('is read once, and not again for each attempt', () => {
    const lane = new OutboxLane('lane', 'owner', WINDOW_MAX, throwIt)
    const queue = Array.from({ length: 100 }, (_, n) => queued(n))
    read(lane, queue, 2)
    assert.equal(begin(lane, 2).length, 2)
    assert.equal(lane.beginRead(1), null)
    assert.deepEqual(begin(lane, 1), [queue[2]])
  })

  test('follows what was read when that is used up', () => {
    const lane = new OutboxLane('lane', 'owner', WINDOW_MAX, throwIt)
    const queue = Array.from({ length: 100 }, (_, n) => queued(n))
    const begun: Delivery[] = []
    while (begun.length < queue.length) {
      read(lane, queue, 1)
      begun.push(...begin(lane, 1))
    }
    assert.deepEqual(begun, queue)
  })

  test('waits for the one before it that names no invoice either, and lets those of invoices pass', () => {
    const lane = new OutboxLane('lane', 'owner', WINDOW_MAX, throwIt)
    const [pending, confirmed, other] = [queued(1, null), queued(2, null), queued(3)]
    read(lane, [pending, confirmed, other], 3)
    assert.deepEqual(begin(lane, 3), [pending, other])
    lane.remove(pending)
    assert.deepEqual(begin(lane, 3), [confirmed])
  })

  test('waits for the one before it of its invoice until that is recorded', () => {
    const lane = new OutboxLane('lane', 'owner', WINDOW_MAX, throwIt)
    const [pending, confirmed] = [queued(1, 'invoice'), queued(2, 'invoice')]
    read(lane, [pending, confirmed], 2)
    assert.deepEqual(begin(lane, 2), [pending])
    lane.answered(pending)
    assert.deepEqual(begin(lane, 2), [])
    lane.remove(pending)
    read(lane, [confirmed], 2)
    assert.deepEqual(begin(lane, 2), [confirmed])
  })

  test('is what comes back for a retry, before what was read since', () => {
    const lane = new OutboxLane('lane', 'owner', WINDOW_MAX, throwIt)
    read(lane, [first, second, third, fourth], 2)
    begin(lane, 2)
    lane.answered(first)
    lane.remove(first)
    const again = { ...first, attempts: 1 }
    lane.wake(again.id)
    read(lane, [again, third, fourth], 1)
    assert.deepEqual(begin(lane, 1), [again])
  })

  test('also when it comes back while rows are being read', () => {
    const lane = new OutboxLane('lane', 'owner', WINDOW_MAX, throwIt)
    lane.add(second)
    lane.enter(new Pool(1))
    lane.beginTurn()
    const asked = lane.beginRead(1)
    assert.ok(asked !== null)
    lane.wake(first.id)
    lane.endRead([third, fourth], asked.limit)
    assert.deepEqual(begin(lane, 1), [third])
    lane.endTurn()
    read(lane, [first, third, fourth], 1)
    assert.deepEqual(begin(lane, 1), [first])
  })

  test('is not read again because of the news of what was read already', () => {
    const lane = new OutboxLane('lane', 'owner', WINDOW_MAX, throwIt)
    read(lane, [first, second, third], 1)
    begin(lane, 1)
    for (const { id } of [first, second, third]) lane.wake(id)
    assert.equal(lane.beginRead(1), null)
    assert.deepEqual(begin(lane, 2), [second, third])
  })

  test('is in memory only while something is under way', () => {
    const lane = new OutboxLane('lane', 'owner', WINDOW_MAX, throwIt)
    read(lane, [first, second, third], 1)
    begin(lane, 1)
    assert.equal(lane.hasAhead, true)
    lane.answered(first)
    lane.remove(first)
    assert.equal(lane.hasAhead, false)
    assert.equal(lane.hasMore, true)
    assert.deepEqual(read(lane, [second, third], 1), [second, third])
  })
})
