import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { pause } from '../src/scheduler.js'
import { ManualScheduler } from './support/manual-scheduler.js'

describe('a pause', () => {
  test('ends after its delay and leaves nothing behind', async () => {
    const scheduler = new ManualScheduler()
    const stopping = new AbortController()
    const paused = pause(scheduler, 100, stopping.signal)
    scheduler.pass(99)
    assert.equal(scheduler.pending, 1)
    scheduler.pass(1)
    await paused
    stopping.abort()
    assert.equal(scheduler.pending, 0)
  })

  test('ends at once when it is aborted, and takes its timer with it', async () => {
    const scheduler = new ManualScheduler()
    const stopping = new AbortController()
    const paused = pause(scheduler, 100, stopping.signal)
    stopping.abort()
    await paused
    assert.equal(scheduler.pending, 0)
    await pause(scheduler, 100, stopping.signal)
    assert.equal(scheduler.pending, 0)
  })
})
