import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { createLog } from '../../src/log.js'
import { Retention } from '../../src/service/retention.js'
import { StorageUnavailable } from '../../src/store/refusals.js'
import type { RemovedRows } from '../../src/store/retention.js'
import { ManualClock } from '../support/manual-clock.js'
import { ManualScheduler } from '../support/manual-scheduler.js'

const KEEP_MS = 1_000_000
const KEEP_EVENTS_MS = 50_000
const DAY_MS = 86_400_000
const ROUND_MS = 60_000
const PAUSE_MS = 50

/** A store with rows to remove, of which each call takes what it may. */
function setUp(rows: Record<RemovedRows, number>) {
  const clock = new ManualClock()
  const scheduler = new ManualScheduler()
  const calls: string[] = []
  const removed: string[] = []
  let failure: Error | null = null
  const take = async (what: keyof typeof rows, limit: number) => {
    if (failure !== null) throw failure
    const count = Math.min(rows[what], limit)
    rows[what] -= count
    calls.push(`${what} ${count}`)
    return count
  }
  const times = new Set<number>()
  const retention = new Retention({
    store: {
      ledger: {
        removeEventsBefore: (timeMs, limit) => {
          times.add(timeMs)
          return take('events', limit)
        },
      },
      outbox: {
        removeSettledBefore: (timeMs, limit) => {
          times.add(timeMs)
          return take('deliveries', limit)
        },
      },
      events: {
        removeBefore: (timeMs, limit) => {
          times.add(timeMs)
          return take('owner_events', limit)
        },
      },
      audit: {
        removeBefore: (timeMs, limit) => {
          times.add(timeMs)
          return take('audit', limit)
        },
      },
      commands: { removeExpiredRequests: (limit) => take('requests', limit) },
    },
    clock,
    scheduler,
    log: createLog('silent'),
    keepMs: KEEP_MS,
    keepEventsMs: KEEP_EVENTS_MS,
    onRemoved: (what, count) => removed.push(`${what} ${count}`),
  })
  /** Lets time pass, and what begins then come to its end. */
  const pass = async (ms: number) => {
    scheduler.pass(ms)
    await new Promise((resolve) => setImmediate(resolve))
    return calls.splice(0)
  }
  const fail = (error: Error | null) => {
    failure = error
  }
  return { retention, clock, scheduler, times, removed, pass, fail }
}

describe('what has been kept long enough', () => {
  test('is removed a piece of each kind at a time, with a pause for others between them', async () => {
    const { retention, clock, times, removed, pass } = setUp({
      events: 450,
      deliveries: 1,
      requests: 0,
      owner_events: 2,
      audit: 1,
    })
    retention.start()
    assert.deepEqual(await pass(ROUND_MS - 1), [])
    assert.deepEqual(await pass(1), ['events 200', 'deliveries 1', 'requests 0', 'owner_events 2', 'audit 1'])
    const kept = [KEEP_MS, KEEP_EVENTS_MS, 400 * DAY_MS]
    assert.deepEqual(
      [...times],
      kept.map((ms) => clock.now() - ms),
    )
    assert.deepEqual(await pass(PAUSE_MS), ['events 200', 'deliveries 0', 'requests 0', 'owner_events 0', 'audit 0'])
    assert.deepEqual(await pass(PAUSE_MS), ['events 50', 'deliveries 0', 'requests 0', 'owner_events 0', 'audit 0'])
    assert.deepEqual(await pass(PAUSE_MS), ['events 0', 'deliveries 0', 'requests 0', 'owner_events 0', 'audit 0'])
    assert.deepEqual(await pass(PAUSE_MS), [])
    assert.deepEqual(removed, ['events 200', 'deliveries 1', 'owner_events 2', 'audit 1', 'events 200', 'events 50'])
    assert.deepEqual(await pass(ROUND_MS), ['events 0', 'deliveries 0', 'requests 0', 'owner_events 0', 'audit 0'])
    await retention.stop()
  })

  test('waits while the store refuses writes, and goes on afterwards', async () => {
    const { retention, pass, fail } = setUp({ events: 1, deliveries: 0, requests: 0, owner_events: 0, audit: 0 })
    retention.start()
    fail(new StorageUnavailable(new Error('the disk is full')))
    assert.deepEqual(await pass(ROUND_MS), [])
    assert.deepEqual(await pass(PAUSE_MS), [])
    fail(null)
    assert.deepEqual(await pass(ROUND_MS), ['events 1', 'deliveries 0', 'requests 0', 'owner_events 0', 'audit 0'])
    await retention.stop()
  })

  test('stays when the service has stopped, which waits for the piece under way', async () => {
    const { retention, scheduler, pass } = setUp({ events: 900, deliveries: 0, requests: 0, owner_events: 0, audit: 0 })
    retention.start()
    scheduler.pass(ROUND_MS)
    await retention.stop()
    assert.equal(scheduler.pending, 0)
    assert.deepEqual(await pass(ROUND_MS), ['events 200', 'deliveries 0', 'requests 0', 'owner_events 0', 'audit 0'])
  })
})
