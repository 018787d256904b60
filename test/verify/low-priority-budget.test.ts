import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { LowPriorityBudget } from '../../src/verify/low-priority-budget.js'

/** Verifications of 0.5 ms each, on one thread, of which one with priority went out at 0. */
function setUp(threads = 1): LowPriorityBudget {
  const spare = new LowPriorityBudget(threads)
  spare.measured(4, 2)
  spare.spent(1, 0, 0)
  return spare
}

describe('the time left for requests without priority', () => {
  test('is unbounded before one with priority came, and a second after the last', () => {
    assert.equal(new LowPriorityBudget(1).places(0), Number.POSITIVE_INFINITY)
    const spare = setUp()
    assert.equal(spare.places(1_000), 4)
    assert.equal(spare.places(1_001), Number.POSITIVE_INFINITY)
  })

  test('is a sixteenth, of which 2 ms can be saved up', () => {
    const spare = setUp()
    assert.equal(spare.places(0), 4)
    spare.spent(0, 4, 0)
    const rows: [number, number][] = [
      [0, 0],
      [2, 1],
      [8, 1],
      [16, 2],
      [24, 3],
      [32, 4],
      [500, 4],
    ]
    for (const [nowMs, places] of rows) assert.equal(spare.places(nowMs), places, `at ${nowMs}`)
  })

  test('is not owed for what went out while nobody had priority', () => {
    const spare = setUp()
    spare.spent(0, 10_000, 1_001)
    spare.spent(1, 0, 1_002)
    assert.equal(spare.places(1_002), 4)
  })

  test('is paid back when it was overdrawn', () => {
    const spare = setUp()
    spare.spent(0, 8, 0)
    assert.equal(spare.places(0), 0)
    assert.equal(spare.waitMs(0), 32)
    assert.equal(spare.places(31), 0)
    assert.equal(spare.places(33), 1)
    assert.equal(spare.waitMs(33), 0)
  })

  test('is refunded for what was worth it, so that one good in four is never held back', () => {
    const spare = setUp()
    for (let n = 0; n < 100; n += 1) {
      assert.ok(spare.places(0) >= 4, `round ${n}`)
      spare.spent(0, 4, 0)
      spare.refund()
    }
    spare.refund()
    assert.equal(spare.places(0), 4)
  })

  test('is not waited for longer than somebody has priority', () => {
    const spare = setUp()
    spare.spent(0, 10_000, 0)
    assert.equal(spare.waitMs(0), 1_000)
  })

  test('grows with the threads', () => {
    const spare = setUp(2)
    assert.equal(spare.places(0), 8)
    spare.spent(0, 8, 0)
    assert.equal(spare.places(16), 4)
  })

  test('follows what verifications cost', () => {
    const spare = setUp()
    for (let n = 0; n < 100; n += 1) spare.measured(1, 1)
    assert.equal(spare.places(0), 2)
  })
})
