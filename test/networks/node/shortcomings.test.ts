import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { Shortcomings, TRIED_AGAIN_FIRST_MS, TRIED_AGAIN_MAX_MS } from '../../../src/networks/node/shortcomings.js'
import { ManualClock } from '../../support/manual-clock.js'

describe('what a node cannot do', () => {
  test('is tried again after a minute, and ever more seldom while it fails, at least once an hour', () => {
    const clock = new ManualClock()
    const shortcomings = new Shortcomings<'receipts'>(clock)
    let forMs = TRIED_AGAIN_FIRST_MS
    for (let time = 0; time < 10; time += 1) {
      shortcomings.note('receipts')
      clock.advance(forMs - 1)
      assert.ok(shortcomings.has('receipts'), `for ${forMs} ms`)
      // It is noted from when it was found out.
      shortcomings.note('receipts')
      clock.advance(1)
      assert.ok(!shortcomings.has('receipts'), `after ${forMs} ms`)
      forMs = Math.min(2 * forMs, TRIED_AGAIN_MAX_MS)
    }
    assert.equal(forMs, TRIED_AGAIN_MAX_MS)
    shortcomings.succeeded('receipts')
    shortcomings.note('receipts')
    clock.advance(TRIED_AGAIN_FIRST_MS)
    assert.ok(!shortcomings.has('receipts'), 'after a success it begins anew')
  })

  test('is remembered up to a number of things, the newest ones', () => {
    const clock = new ManualClock()
    const shortcomings = new Shortcomings(clock, 2)
    const noted = () => ['a', 'b', 'c', 'd'].filter((what) => shortcomings.has(what))
    for (const what of ['a', 'b', 'c']) shortcomings.note(what)
    assert.deepEqual(noted(), ['b', 'c'])
    clock.advance(TRIED_AGAIN_FIRST_MS)
    for (const what of ['b', 'd', 'c']) shortcomings.note(what)
    assert.deepEqual(noted(), ['c', 'd'])
  })

  test('is forgotten when the clock is set back', () => {
    const clock = new ManualClock()
    const shortcomings = new Shortcomings<'receipts'>(clock)
    shortcomings.note('receipts')
    clock.advance(-1)
    assert.ok(!shortcomings.has('receipts'))
  })
})
