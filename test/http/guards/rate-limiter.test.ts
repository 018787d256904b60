import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { RateLimiter } from '../../../src/http/guards/rate-limiter.js'
import { ManualClock } from '../../support/manual-clock.js'

/** How many requests of a client pass in a row. */
function burstOf(limiter: RateLimiter, client: string, most: number): number {
  for (let taken = 0; taken < most; taken += 1) {
    if (limiter.take(client) > 0) return taken
  }
  return most
}

describe('a rate limiter', () => {
  for (const perMinute of [1, 7, 60, 59_999, 60_000]) {
    test(`lets exactly ${perMinute} a minute pass at once`, () => {
      const clock = new ManualClock()
      const limiter = new RateLimiter(perMinute, clock)
      assert.equal(burstOf(limiter, 'a', perMinute + 1), perMinute)
      clock.advance(60_000)
      assert.equal(burstOf(limiter, 'a', perMinute + 1), perMinute)
    })
  }

  test('refills evenly, and says how many seconds to wait', () => {
    const clock = new ManualClock()
    const limiter = new RateLimiter(2, clock)
    assert.deepEqual([limiter.take('a'), limiter.take('a'), limiter.take('a')], [0, 0, 30])
    clock.advance(29_001)
    assert.equal(limiter.take('a'), 1)
    clock.advance(998)
    assert.equal(limiter.take('a'), 1)
    clock.advance(1)
    assert.deepEqual([limiter.take('a'), limiter.take('a')], [0, 30])
  })

  test('lets a client owe for what it was served, but no more than a minute beyond its allowance', () => {
    const clock = new ManualClock()
    const limiter = new RateLimiter(60, clock)
    assert.equal(limiter.take('a'), 0)
    limiter.charge('a', 69)
    assert.equal(limiter.take('a'), 11)
    assert.equal(limiter.take('b'), 0)
    clock.advance(11_000)
    assert.equal(limiter.take('a'), 0)
    limiter.charge('a', 1_000_000)
    assert.equal(limiter.take('a'), 61)
    clock.advance(61_000)
    assert.equal(limiter.take('a'), 0)
  })

  test('tells other processes what it has charged', () => {
    const limiter = new RateLimiter(60, new ManualClock())
    limiter.share()
    limiter.charge('a', 30)
    assert.deepEqual(limiter.takeSpent(10), [{ client: 'a', micros: 30_000_000 }])
  })

  test('takes nothing for a request that it refuses', () => {
    const clock = new ManualClock()
    const limiter = new RateLimiter(1, clock)
    assert.equal(limiter.take('a'), 0)
    for (let refused = 0; refused < 100; refused += 1) assert.equal(limiter.take('a'), 60)
    clock.advance(60_000)
    assert.equal(limiter.take('a'), 0)
  })

  test('counts each client on its own', () => {
    const limiter = new RateLimiter(1, new ManualClock())
    assert.deepEqual([limiter.take('a'), limiter.take('b'), limiter.take('a'), limiter.take('b')], [0, 0, 60, 60])
  })

  test('never allows more than a minute and a burst in any time', () => {
    const clock = new ManualClock()
    const limiter = new RateLimiter(10, clock)
    let passed = 0
    for (let second = 0; second < 600; second += 1) {
      for (let tries = 0; tries < 5; tries += 1) if (limiter.take('a') === 0) passed += 1
      clock.advance(1000)
    }
    assert.equal(passed, 10 + 99)
  })

  test('makes nobody wait for a clock that was set back', () => {
    const clock = new ManualClock()
    const limiter = new RateLimiter(2, clock)
    assert.deepEqual([limiter.take('a'), limiter.take('a')], [0, 0])
    clock.advance(-3_600_000)
    assert.deepEqual([limiter.take('a'), limiter.take('a'), limiter.take('a')], [0, 0, 30])
  })

  test('remembers a bounded number of clients and forgets those heard of longest ago', () => {
    const limiter = new RateLimiter(1, new ManualClock(), 4)
    for (const client of ['a', 'b', 'c']) assert.equal(limiter.take(client), 0)
    assert.equal(limiter.take('a'), 60)
    assert.equal(limiter.take('d'), 0)
    assert.deepEqual([limiter.take('a'), limiter.take('c'), limiter.take('d')], [60, 60, 60])
    assert.equal(limiter.take('b'), 0)
    for (let client = 0; client < 1000; client += 1) assert.equal(limiter.take(`flood ${client}`), 0)
    for (const client of ['a', 'flood 0', 'flood 995']) assert.equal(limiter.take(client), 0)
  })

  test('tells what busy clients have taken, once, and takes what they owe elsewhere into account', () => {
    const clock = new ManualClock()
    const [here, there] = [new RateLimiter(80, clock), new RateLimiter(80, clock)]
    here.take('busy')
    clock.advance(60_000)
    assert.deepEqual(here.takeSpent(10), [], 'it is not asked to share')
    here.share()
    assert.equal(burstOf(here, 'busy', 80), 80)
    assert.equal(burstOf(here, 'seldom', 9), 9)
    assert.deepEqual(here.takeSpent(10), [{ client: 'busy', micros: 60_000_000 }])
    assert.deepEqual(here.takeSpent(10), [])
    there.owes('busy', 60_000_000)
    assert.equal(there.take('busy'), 1)
    assert.equal(there.take('seldom'), 0)
    assert.equal(here.take('seldom'), 0)
    assert.deepEqual(here.takeSpent(10), [{ client: 'seldom', micros: 7_500_000 }], 'with what it took before')
  })

  test('makes a client wait longer that several processes have let pass beyond its allowance, and tells a few at a time', () => {
    const clock = new ManualClock()
    const limiter = new RateLimiter(2, clock)
    limiter.owes('a', 90_000_000)
    assert.equal(limiter.take('a'), 60)
    limiter.owes('a', 1_000_000_000)
    assert.equal(limiter.take('a'), 90, 'no longer than two allowances')
    clock.advance(90_000)
    assert.equal(limiter.take('a'), 0)
    limiter.share()
    for (const client of ['b', 'c', 'd']) limiter.take(client)
    assert.equal(limiter.takeSpent(2).length, 2)
    assert.equal(limiter.takeSpent(2).length, 1)
  })
})
