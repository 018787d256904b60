import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { LANES_MAX, LANES_PER_TURN, OutboxAge, oldestQueuedAt } from '../../src/metrics/outbox-age.js'
import type { LaneKey, OldestQueued } from '../../src/store/outbox.js'
import { START_MS } from '../support/manual-clock.js'

/** An outbox whose lane `n` has its oldest delivery at `times[n]`. */
function outboxOf(times: readonly number[]) {
  const looks: number[] = []
  return {
    looks,
    oldestQueued(after: LaneKey | null, lanes: number): OldestQueued {
      const from = after === null ? 0 : Number(after) + 1
      const seen = times.slice(from, from + lanes)
      looks.push(seen.length)
      const isEnd = from + lanes > times.length
      return { createdAt: seen.length === 0 ? null : Math.min(...seen), next: isEnd ? null : String(from + lanes - 1) }
    },
  }
}

describe('the time of the oldest queued webhook', () => {
  test('is null when none is queued', async () => {
    assert.equal(await oldestQueuedAt(outboxOf([])), null)
  })

  test('is that of the oldest in all lanes, wherever its lane stands', async () => {
    for (const at of [0, 1, LANES_PER_TURN - 1, LANES_PER_TURN, LANES_PER_TURN * 2, LANES_PER_TURN * 3 - 1]) {
      const times = Array.from({ length: LANES_PER_TURN * 3 }, (_, n) => (n === at ? 5 : 1000 + n))
      assert.equal(await oldestQueuedAt(outboxOf(times)), 5, `in lane ${at}`)
    }
  })

  test('gives other work its turn between some lanes and the next', async () => {
    const outbox = outboxOf(Array.from({ length: LANES_PER_TURN * 4 }, () => 1))
    let looksAtTurn = 0
    setImmediate(() => {
      looksAtTurn = outbox.looks.length
    })
    await oldestQueuedAt(outbox)
    assert.equal(looksAtTurn, 1)
  })

  test('ends at a bound, however many lanes there are', async () => {
    const outbox = outboxOf(Array.from({ length: LANES_MAX + 10 }, () => 7))
    assert.equal(await oldestQueuedAt(outbox), 7)
    assert.equal(
      outbox.looks.reduce((sum, count) => sum + count, 0),
      LANES_MAX,
    )
  })
})

describe('how long the webhook waits that waits longest', () => {
  const HOUR_MS = 3_600_000

  function setUp() {
    const waiting: { queuedAt: number | null; dueAt: number | null } = { queuedAt: null, dueAt: null }
    const time = { now: START_MS, elapsed: 5000 }
    const age = new OutboxAge(
      {
        oldestQueued: () => ({ createdAt: waiting.queuedAt, next: null }),
        nextRetryAt: () => waiting.dueAt,
      },
      { now: () => time.now, elapsed: () => time.elapsed },
    )
    const pass = (ms: number) => {
      time.now += ms
      time.elapsed += ms
    }
    return { waiting, time, pass, read: () => age.read() }
  }

  test('counts a queued one from its deposit, and a retry from when it was due', async () => {
    const { waiting, pass, read } = setUp()
    assert.equal(await read(), 0)
    waiting.queuedAt = START_MS - 7
    assert.equal(await read(), 7)
    waiting.queuedAt = null
    waiting.dueAt = START_MS + 1000
    assert.equal(await read(), 0)
    pass(1000)
    assert.equal(await read(), 0)
    pass(300_000)
    assert.equal(await read(), 300_000)
    // Its turn has come, and the next one is due later.
    waiting.dueAt = START_MS + HOUR_MS
    assert.equal(await read(), 0)
  })

  test('goes on to grow when the clock is set back', async () => {
    const { waiting, time, pass, read } = setUp()
    waiting.queuedAt = START_MS - 10
    assert.equal(await read(), 10)
    time.now -= HOUR_MS
    pass(400_000)
    assert.equal(await read(), 400_000)
    waiting.queuedAt = null
    waiting.dueAt = time.now + 5000
    assert.equal(await read(), 0)
    time.now -= HOUR_MS
    pass(405_000)
    assert.equal(await read(), 400_000)
    // What waits now is another one.
    waiting.dueAt += 1
    assert.equal(await read(), 0)
  })

  test('begins anew with each one that waits, however much alike their times are', async () => {
    const { waiting, time, pass, read } = setUp()
    time.now -= HOUR_MS
    waiting.queuedAt = START_MS
    await read()
    pass(1000)
    assert.equal(await read(), 1000)
    waiting.queuedAt = null
    assert.equal(await read(), 0)
    waiting.queuedAt = START_MS
    assert.equal(await read(), 0)
  })
})
