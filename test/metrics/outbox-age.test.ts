import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { LANES_MAX, LANES_PER_TURN, oldestQueuedAt } from '../../src/metrics/outbox-age.js'
import type { LaneKey, OldestQueued } from '../../src/store/outbox.js'

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
