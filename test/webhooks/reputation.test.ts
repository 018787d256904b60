import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { Reputation } from '../../src/webhooks/slots.js'
import { ManualClock } from '../support/manual-clock.js'

const MINUTE_MS = 60_000

describe('the standing of a receiver', () => {
  test('is what it did last, and new before', () => {
    const reputation = new Reputation(new ManualClock())
    assert.equal(reputation.standingOf('lane', 'owner'), 'new')
    reputation.wasPrompt('lane')
    assert.equal(reputation.standingOf('lane', 'owner'), 'prompt')
    reputation.wasSlow('lane', 'owner')
    assert.equal(reputation.standingOf('lane', 'owner'), 'slow')
    reputation.wasPrompt('lane')
    assert.equal(reputation.standingOf('lane', 'owner'), 'prompt')
  })

  test("is slow from the start for ten minutes after another one of the owner's was", () => {
    const clock = new ManualClock()
    const reputation = new Reputation(clock)
    reputation.wasPrompt('known')
    reputation.wasSlow('lane', 'owner')
    assert.equal(reputation.standingOf('made up', 'owner'), 'slow')
    assert.equal(reputation.standingOf('known', 'owner'), 'prompt')
    assert.equal(reputation.standingOf('made up', 'somebody else'), 'new')
    clock.advance(10 * MINUTE_MS)
    assert.equal(reputation.standingOf('made up', 'owner'), 'new')
    assert.equal(reputation.standingOf('lane', 'owner'), 'slow')
  })

  test('is forgotten when more are remembered than there is room for', () => {
    const reputation = new Reputation(new ManualClock(), 8)
    reputation.wasPrompt('lane')
    for (let n = 0; n < 2; n += 1) reputation.wasPrompt(`other ${n}`)
    assert.equal(reputation.standingOf('lane', 'owner'), 'prompt')
    for (let n = 2; n < 8; n += 1) reputation.wasPrompt(`other ${n}`)
    assert.equal(reputation.standingOf('lane', 'owner'), 'new')
    assert.equal(reputation.standingOf('other 7', 'owner'), 'prompt')
  })
})
