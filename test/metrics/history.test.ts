import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { History, NO_TOTALS, SAMPLE_MS, SAMPLES_MAX, type Totals } from '../../src/metrics/history.js'
import { ManualClock } from '../support/manual-clock.js'

/** A history whose time passes by hand. */
function started() {
  const clock = new ManualClock()
  const totals: Totals = { ...NO_TOTALS }
  let due: (() => void) | null = null
  const scheduler = {
    after(delayMs: number, task: () => void) {
      assert.equal(delayMs, SAMPLE_MS)
      due = task
      return () => {
        due = null
      }
    },
  }
  const history = new History({ totals, clock, scheduler })
  history.start()
  const passes = (ms = SAMPLE_MS) => {
    clock.set(clock.now() + ms)
    due?.()
  }
  return { history, totals, clock, passes, isWaiting: () => due !== null }
}

describe('the history of the last hour', () => {
  test('has what was counted between two samples, per second', () => {
    const { history, totals, passes, clock } = started()
    assert.equal(history.samples.length, 0)
    totals.creations = 50
    totals.refused = 5
    passes()
    totals.creations += 1
    passes(2 * SAMPLE_MS)
    const [first, second, ...rest] = history.samples
    assert.deepEqual([first?.creations, first?.refused, first?.deposits], [5, 0.5, 0])
    assert.deepEqual([second?.creations, second?.refused, second?.at], [0.05, 0, clock.now()])
    assert.ok((first?.memory ?? 0) > 1 && (first?.loopDelay ?? -1) >= 0)
    assert.deepEqual(rest, [])
    history.stop()
  })

  test('keeps an hour, and nothing of a time that the clock went back', () => {
    const { history, passes, isWaiting } = started()
    for (let i = 0; i < SAMPLES_MAX; i += 1) passes()
    const [oldest] = history.samples
    passes()
    assert.equal(history.samples.length, SAMPLES_MAX)
    assert.notEqual(history.samples[0], oldest)
    const newest = history.samples.at(-1)
    passes(-1)
    assert.equal(history.samples.at(-1), newest)
    passes()
    assert.notEqual(history.samples.at(-1), newest)
    assert.equal(isWaiting(), true)
    history.stop()
    assert.equal(isWaiting(), false)
  })
})
