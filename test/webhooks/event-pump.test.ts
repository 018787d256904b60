import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { setImmediate as nextTurnOfLoop } from 'node:timers/promises'
import type { Logger } from '../../src/log.js'
import { createLog } from '../../src/log.js'
import type { QueuedEvents } from '../../src/store/event-outbox.js'
import type { OwedDelivery } from '../../src/store/outbox.js'
import { StorageUnavailable } from '../../src/store/refusals.js'
import { EventPump } from '../../src/webhooks/event-pump.js'
import { ManualScheduler } from '../support/manual-scheduler.js'

/** More than any pause. */
const LONG_MS = 60_000

/** Logs in memory, by how many events are left of each owner; a pump on them. */
class World {
  readonly left = new Map<string, number>()
  /** Owners in the order of their turns. */
  readonly served: string[] = []
  readonly owed: OwedDelivery[] = []
  readonly errors: unknown[] = []
  readonly scheduler = new ManualScheduler()
  doubts = 0
  looks = 0
  /** What the next writes reject with. */
  failures: Error[] = []
  lost: QueuedEvents['lost'] = null
  /** Called in the middle of a write. */
  onServed: () => void = () => {}

  readonly pump = new EventPump({
    eventOutbox: {
      behind: (after, limit) => {
        this.looks += 1
        const owners = [...this.left.keys()].filter((owner) => after === null || owner > after).sort()
        const page = owners.slice(0, limit)
        const next = page.length < limit ? null : (page.at(-1) ?? null)
        return { owners: page.filter((owner) => this.left.get(owner) !== 0), next }
      },
      queueNext: async (owner, limit) => {
        await nextTurnOfLoop()
        this.served.push(owner)
        const failure = this.failures.shift()
        if (failure !== undefined) throw failure
        const left = this.left.get(owner) ?? 0
        const read = Math.min(limit, left)
        this.left.set(owner, left - read)
        this.onServed()
        const owed = Array.from({ length: read }, (_, n) => ({ id: `${owner} ${left - n}`, lane: owner, owner }))
        return { owed, isMore: read === limit, lost: this.lost }
      },
    },
    onOwed: (owed) => this.owed.push(...owed),
    onDoubt: async () => {
      this.doubts += 1
    },
    scheduler: this.scheduler,
    log: this.log(),
  })

  private log(): Logger {
    return Object.assign(createLog('silent'), { error: (...said: unknown[]) => this.errors.push(said) })
  }

  /** Lets everything happen that needs no timer. */
  async rest(): Promise<void> {
    for (let turns = 0; turns < 500; turns += 1) await nextTurnOfLoop()
  }
}

describe('the pump of events', () => {
  test('begins with what waits in the store, and then rests', async () => {
    const t = new World()
    for (let n = 0; n < 250; n += 1) t.left.set(`owner ${n}`, n % 2)
    t.pump.start()
    await t.rest()
    assert.equal(t.owed.length, 125)
    const { looks } = t
    await t.rest()
    assert.deepEqual([t.served.length, t.looks], [125, looks])
    await t.pump.stop()
  })

  test('serves owners in turn, so that a long log delays nobody', async () => {
    const t = new World()
    t.left.set('a', 640)
    for (const owner of ['b', 'c']) t.left.set(owner, 1)
    t.pump.start()
    await t.rest()
    assert.deepEqual(t.served.slice(0, 5), ['a', 'b', 'c', 'a', 'a'])
    assert.equal(t.owed.length, 642)
    await t.pump.stop()
  })

  test('hears of what is logged, also while it serves the same owner', async () => {
    const t = new World()
    t.pump.start()
    await t.rest()
    t.left.set('a', 1)
    t.onServed = () => {
      t.onServed = () => {}
      t.left.set('a', 1)
      t.pump.wake(['a'])
    }
    t.pump.wake(['a'])
    await t.rest()
    assert.deepEqual(t.served, ['a', 'a'])
    assert.equal(t.owed.length, 2)
    await t.pump.stop()
  })

  test('looks now and then for what nobody has told', async () => {
    const t = new World()
    t.pump.start()
    await t.rest()
    t.left.set('a', 1)
    await t.rest()
    assert.deepEqual(t.served, [])
    t.scheduler.pass(LONG_MS)
    await t.rest()
    assert.deepEqual(t.served, ['a'])
    await t.pump.stop()
  })

  test('goes on when the store does, and has others look for what a lost answer may have queued', async () => {
    const t = new World()
    t.pump.start()
    await t.rest()
    t.left.set('a', 1)
    t.failures = [1, 2, 3].map((n) => new StorageUnavailable(new Error(`outage ${n}`)))
    t.pump.wake(['a'])
    for (let pauses = 0; pauses < 3; pauses += 1) {
      await t.rest()
      assert.deepEqual([t.owed.length, t.doubts], [0, 0])
      t.scheduler.pass(LONG_MS)
    }
    await t.rest()
    assert.deepEqual([t.owed.length, t.doubts, t.errors.length], [1, 1, 1])
    await t.pump.stop()
  })

  test('goes on with others when those of one owner cannot be queued, and says so', async () => {
    const t = new World()
    t.pump.start()
    await t.rest()
    t.left.set('a', 1)
    t.left.set('b', 1)
    t.failures = [new Error('a damaged record')]
    t.pump.wake(['a', 'b'])
    await t.rest()
    assert.deepEqual([t.served, t.owed.length, t.errors.length], [['a', 'b'], 1, 1])
    t.scheduler.pass(LONG_MS)
    await t.rest()
    assert.deepEqual(t.served, ['a', 'b', 'a'])
    await t.pump.stop()
  })

  test('says that events were removed before they were sent', async () => {
    const t = new World()
    t.lost = { behind: '0', to: '7' }
    t.left.set('a', 1)
    t.pump.start()
    await t.rest()
    assert.deepEqual(
      t.errors.map((said) => (said as unknown[])[0]),
      [{ owner: 'a', behind: '0', to: '7' }],
    )
    await t.pump.stop()
  })

  test('begins nothing more when it stops, and waits for what it has begun', async () => {
    const t = new World()
    t.left.set('a', 640)
    t.pump.start()
    let stopped: Promise<void> = Promise.resolve()
    t.onServed = () => {
      stopped = t.pump.stop()
      t.onServed = () => assert.fail('it has begun another')
    }
    await t.rest()
    await stopped
    assert.deepEqual([t.served.length, t.owed.length], [1, 64])
    t.pump.wake(['a'])
    t.scheduler.pass(LONG_MS)
    await t.rest()
    assert.equal(t.served.length, 1)
  })
})
