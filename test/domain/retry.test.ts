import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import {
  afterSetBack,
  BACKOFF_FACTOR,
  BACKOFF_FIRST_MS,
  BACKOFF_MAX_MS,
  isUsedUp,
  nextAttemptAt,
  ONE_ATTEMPT,
  RETRY_AFTER_MAX_MS,
  redeliveryWaitMs,
} from '../../src/domain/retry.js'
import type { DeliveryResult } from '../../src/domain/webhook.js'

const NOW = 1_700_000_000_000
/** As good as one: the longest pause that can be drawn. */
const LONGEST = 1 - Number.EPSILON

const answered = (httpStatus: number, retryAfterMs?: number): DeliveryResult => ({
  kind: 'answered',
  httpStatus,
  durationMs: 3,
  ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
})
const failed: DeliveryResult = { kind: 'failed', reason: 'timeout', detail: '', durationMs: 8000 }

function after(result: DeliveryResult, attempts: number, attemptsMax: number, random = LONGEST, attemptsBefore = 0) {
  const policy = { attemptsMax, random: () => random }
  const at = nextAttemptAt({ attempts, attemptsBefore }, result, policy, NOW)
  return at === null ? null : at - NOW
}

describe('another attempt', () => {
  test('follows a failure and every answer that is not 2xx, while attempts are left', () => {
    for (const result of [failed, ...[199, 300, 301, 400, 401, 404, 429, 500, 503, 599].map((one) => answered(one))]) {
      assert.notEqual(after(result, 1, 2), null, JSON.stringify(result))
      assert.equal(after(result, 2, 2), null, JSON.stringify(result))
    }
  })

  test('never follows success, nor 410, which says that the receiver is gone', () => {
    for (const status of [200, 201, 204, 299, 410]) assert.equal(after(answered(status), 1, 20), null)
    assert.equal(after(answered(410, 1000), 1, 20), null)
  })

  test('never follows when there is one attempt, as the specification says', () => {
    for (const result of [failed, answered(500), answered(503, 1000)]) {
      assert.equal(nextAttemptAt({ attempts: 1, attemptsBefore: 0 }, result, ONE_ATTEMPT, NOW), null)
    }
  })

  test('is counted anew after a redelivery', () => {
    assert.equal(after(failed, 4, 2, LONGEST, 2), null)
    assert.equal(after(failed, 3, 2, LONGEST, 2), BACKOFF_FIRST_MS - 1)
    assert.equal(isUsedUp({ attempts: 3, attemptsBefore: 2 }, 1), true)
    assert.equal(isUsedUp({ attempts: 3, attemptsBefore: 3 }, 1), false)
  })
})

describe('the pause before it', () => {
  test('is at most 5 s, 20 s, 80 s and so on, up to an hour', () => {
    assert.deepEqual([BACKOFF_FIRST_MS, BACKOFF_FACTOR, BACKOFF_MAX_MS], [5000, 4, 3_600_000])
    const longest = [1, 2, 3, 4, 5, 6, 7, 19].map((attempts) => (after(failed, attempts, 20) ?? 0) + 1)
    assert.deepEqual(longest, [5000, 20_000, 80_000, 320_000, 1_280_000, 3_600_000, 3_600_000, 3_600_000])
  })

  test('is drawn from the whole span down to nothing', () => {
    assert.equal(after(failed, 3, 20, 0), 0)
    assert.equal(after(failed, 3, 20, 0.5), 40_000)
  })

  test('is no shorter than the receiver asks for, up to a day', () => {
    assert.equal(after(answered(503, 90_000), 1, 20, 0), 90_000)
    assert.equal(after(answered(503, 1000), 1, 20), BACKOFF_FIRST_MS - 1)
    assert.equal(after(answered(429, Number.MAX_SAFE_INTEGER), 1, 20), RETRY_AFTER_MAX_MS)
  })

  test('is a whole number of milliseconds within its bounds, whatever is drawn', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 19 }),
        fc.double({ min: 0, max: LONGEST, noNaN: true }),
        fc.nat({ max: 2 ** 40 }),
        (attempts, random, asked) => {
          const pause = after(answered(503, asked), attempts, 20, random)
          assert.ok(pause !== null && Number.isSafeInteger(pause) && pause >= 0)
          assert.ok(pause <= RETRY_AFTER_MAX_MS)
          assert.ok(pause >= Math.min(asked, RETRY_AFTER_MAX_MS))
        },
      ),
    )
  })
})

const AT = 1_700_000_000_000

for (const [what, attemptsBefore, attemptedAt, nowMs, expected] of [
  ['was not sent yet', 0, null, AT, 0],
  ['was just sent for the first time', 0, AT, AT, 0],
  ['was just redelivered', 1, AT, AT, 60_000],
  ['was redelivered half a minute ago', 1, AT, AT + 30_000, 30_000],
  ['was redelivered a minute ago', 3, AT, AT + 60_000, 0],
  ['was redelivered long ago', 1, AT, AT + 600_000, 0],
  ['was redelivered in the future of a clock that was set back', 1, AT, AT - 600_000, 60_000],
] as const) {
  test(`a delivery that ${what} may be redelivered after ${expected} ms`, () => {
    assert.equal(redeliveryWaitMs({ attemptsBefore, attemptedAt }, nowMs), expected)
  })
}

for (const [what, attemptedAt, nextAttemptAt, expected] of [
  ['waits', AT - 5000, AT + 20_000, null],
  ['waits since this moment', AT, AT + 20_000, null],
  ['does not wait', AT + 5000, null, null],
  ['was attempted in the future', AT + 3_600_000, AT + 3_620_000, AT + 20_000],
  ['was attempted in the future, and is due before that', AT + 3_600_000, AT + 20_000, AT],
] as const) {
  test(`after a clock was set back, a delivery that ${what} is due at ${expected ?? 'its time'}`, () => {
    const adjusted = afterSetBack({ attemptedAt, nextAttemptAt }, AT)
    assert.deepEqual(adjusted, expected === null ? null : { attemptedAt: AT, nextAttemptAt: expected })
  })
}
