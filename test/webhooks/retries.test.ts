import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { setImmediate as nextTurnOfLoop } from 'node:timers/promises'
import { createLog } from '../../src/log.js'
import { StorageUnavailable } from '../../src/store/refusals.js'
import { Retries, type RetriesParts } from '../../src/webhooks/retries.js'
import { ManualClock, START_MS } from '../support/manual-clock.js'
import { ManualScheduler } from '../support/manual-scheduler.js'

const MINUTE_MS = 60_000

/** Due times, a clock and a scheduler that move together, and what was released. */
function setup(due: number[], change: Partial<RetriesParts['outbox']> = {}) {
  const clock = new ManualClock()
  const scheduler = new ManualScheduler()
  const released: string[] = []
  let looks = 0
  let adjustments = 0
  const retries = new Retries({
    outbox: {
      nextRetryAt: () => {
        looks += 1
        return due.length === 0 ? null : Math.min(...due)
      },
      adjustRetries: async () => {
        adjustments += 1
        return null
      },
      releaseRetries: async (_attemptsMax, limit) => {
        const now = due.filter((atMs) => atMs <= clock.now()).slice(0, limit)
        for (const atMs of now) due.splice(due.indexOf(atMs), 1)
        return now.map((atMs) => ({ id: String(atMs - START_MS), lane: 'lane', owner: 'owner' }))
      },
      ...change,
    },
    clock,
    scheduler,
    log: createLog('silent'),
    attemptsMax: 3,
    onDue: (owed) => released.push(...owed.map(({ id }) => id)),
  })
  const settle = async () => {
    for (let turns = 0; turns < 5; turns += 1) await nextTurnOfLoop()
  }
  const pass = async (ms: number) => {
    clock.advance(ms)
    scheduler.pass(ms)
    await settle()
  }
  return { retries, clock, scheduler, released, settle, pass, looks: () => looks, adjustments: () => adjustments }
}

describe('the timer of retries', () => {
  test('is not there while nothing waits', async () => {
    const { retries, scheduler, settle } = setup([])
    retries.start()
    await settle()
    assert.equal(scheduler.pending, 0)
  })

  test('is one, for what is due first, however much waits', async () => {
    const due = Array.from({ length: 1000 }, (_, i) => START_MS + 10_000 + i)
    const { retries, scheduler, released, settle, pass } = setup(due)
    retries.start()
    await settle()
    assert.equal(scheduler.pending, 1)
    await pass(9999)
    assert.deepEqual(released, [])
    await pass(1)
    assert.deepEqual(released, ['10000'])
    await pass(999)
    assert.equal(released.length, 1000)
    assert.equal(scheduler.pending, 0)
  })

  test('is moved forward for what becomes due earlier', async () => {
    const due = [START_MS + 30_000]
    const { retries, scheduler, released, settle, pass } = setup(due)
    retries.start()
    await settle()
    due.push(START_MS + 2000)
    retries.expect(START_MS + 2000)
    retries.expect(START_MS + 40_000)
    assert.equal(scheduler.pending, 1)
    await pass(2000)
    assert.deepEqual(released, ['2000'])
    await pass(28_000)
    assert.deepEqual(released, ['2000', '30000'])
  })

  test('looks at the clock each minute, so that a clock set forward delays nothing for longer', async () => {
    const { retries, clock, scheduler, released, settle } = setup([START_MS + 24 * 60 * MINUTE_MS])
    retries.start()
    await settle()
    clock.advance(24 * 60 * MINUTE_MS)
    scheduler.pass(MINUTE_MS)
    await settle()
    assert.equal(released.length, 1)
  })

  test('adjusts what waits at the start, and when the clock was set back', async () => {
    const { retries, clock, scheduler, settle, pass, adjustments } = setup([START_MS + 24 * 60 * MINUTE_MS])
    retries.start()
    await settle()
    assert.equal(adjustments(), 1)
    await pass(MINUTE_MS)
    clock.advance(-1000)
    scheduler.pass(MINUTE_MS)
    await settle()
    assert.equal(adjustments(), 1, 'a second is no setting')
    clock.advance(-60 * MINUTE_MS)
    scheduler.pass(MINUTE_MS)
    await settle()
    assert.equal(adjustments(), 2)
    await pass(MINUTE_MS)
    assert.equal(adjustments(), 2)
  })

  test('adjusts everything, some of it at a time', async () => {
    const places: unknown[] = []
    const { retries, settle } = setup([START_MS + MINUTE_MS], {
      adjustRetries: async (after, limit) => {
        places.push([after?.dueAt ?? null, limit])
        return places.length === 3 ? null : { dueAt: places.length, id: 'one' }
      },
    })
    retries.start()
    for (let turns = 0; turns < 3; turns += 1) await settle()
    assert.deepEqual(places, [
      [null, 128],
      [1, 128],
      [2, 128],
    ])
  })

  test('waits for a store whose clock is behind, and does not ask it all the time', async () => {
    let asked = 0
    const { retries, scheduler, settle, pass, adjustments } = setup([START_MS], {
      releaseRetries: async () => {
        asked += 1
        return []
      },
    })
    retries.start()
    await settle()
    assert.deepEqual([asked, adjustments(), scheduler.pending], [1, 2, 1])
    await pass(4999)
    assert.equal(asked, 1)
    await pass(1)
    assert.equal(asked, 2)
  })

  test('releases at the start what became due while the service was down', async () => {
    const { retries, released, settle } = setup([START_MS - 5000, START_MS])
    retries.start()
    await settle()
    assert.deepEqual(released.sort(), ['-5000', '0'])
  })

  test('forgets nothing that is told while it looks', async () => {
    let letGo: (() => void) | null = null
    const due: number[] = []
    const { retries, released, settle, pass } = setup(due, {
      nextRetryAt: () => {
        const seen = due.length === 0 ? null : Math.min(...due)
        return new Promise((resolve) => {
          letGo = () => resolve(seen)
        })
      },
    })
    const go = async () => {
      const release = letGo
      letGo = null
      release?.()
      await settle()
    }
    retries.start()
    // It has read that nothing waits, and does not know yet.
    due.push(START_MS)
    retries.expect(START_MS)
    await pass(0)
    for (let looks = 0; looks < 5; looks += 1) await go()
    assert.deepEqual(released, ['0'])
  })

  test('tries again after a pause when the store fails', async () => {
    let failures = 2
    const due = [START_MS]
    const { retries, scheduler, released, settle, pass } = setup(due, {
      nextRetryAt: () => {
        if (failures === 0) return due[0] ?? null
        failures -= 1
        throw new StorageUnavailable(new Error('no space left on device'))
      },
    })
    retries.start()
    await settle()
    assert.equal(scheduler.pending, 1)
    for (let pauses = 0; pauses < 2; pauses += 1) {
      assert.deepEqual(released, [])
      await pass(5000)
    }
    assert.deepEqual(released, ['0'])
  })

  test('does nothing once stopped', async () => {
    const { retries, scheduler, released, settle, pass } = setup([START_MS + 10])
    retries.start()
    await settle()
    await retries.stop()
    retries.expect(START_MS)
    assert.equal(scheduler.pending, 0)
    await pass(MINUTE_MS)
    assert.deepEqual(released, [])
  })
})
