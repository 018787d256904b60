import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { Limiters } from '../../src/http/guards/rate-limiter.js'
import { SharedAllowances } from '../../src/service/shared-allowances.js'
import { type AllowancePort, type Debt, OWN_ALLOWANCES } from '../../src/store/allowances.js'
import { StorageUnavailable } from '../../src/store/refusals.js'
import { ManualClock } from '../support/manual-clock.js'
import { ManualScheduler } from '../support/manual-scheduler.js'

const SECOND_MS = 1000

/** A store that tells everybody everything. */
class Store implements AllowancePort {
  readonly isShared = true
  isAway = false
  private readonly debts = new Map<string, Debt>()

  async exchange(added: readonly Debt[]): Promise<readonly Debt[]> {
    if (this.isAway) throw new StorageUnavailable(new Error('away'))
    for (const one of added) {
      const name = `${one.limit} ${one.client}`
      this.debts.set(name, { ...one, micros: one.micros + (this.debts.get(name)?.micros ?? 0) })
    }
    return [...this.debts.values()]
  }
}

function processOf(allowances: AllowancePort, clock: ManualClock) {
  const limiters = new Limiters(clock)
  const limiter = limiters.add('requests', 10)
  const scheduler = new ManualScheduler()
  const warnings: unknown[] = []
  const log = { warn: (...about: unknown[]) => warnings.push(about) }
  const shared = new SharedAllowances({ limiters, allowances, scheduler, log: log as never })
  shared.start()
  const pass = async () => {
    scheduler.pass(SECOND_MS)
    await setImmediate()
  }
  return { limiter, scheduler, shared, warnings, pass }
}

test('a client that has used up its allowance at one process waits at the others, also when the store was away', async () => {
  const clock = new ManualClock()
  const store = new Store()
  const [first, second] = [processOf(store, clock), processOf(store, clock)]
  await setImmediate()
  store.isAway = true
  for (let taken = 0; taken < 10; taken += 1) assert.equal(first.limiter.take('a'), 0)
  await first.pass()
  await first.pass()
  assert.equal(first.warnings.length, 1, 'it complains once')
  await second.pass()
  assert.equal(second.limiter.take('a'), 0)
  store.isAway = false
  await first.pass()
  await second.pass()
  assert.notEqual(second.limiter.take('a'), 0)
  assert.equal(second.limiter.take('b'), 0)
  for (const one of [first, second]) {
    await one.shared.stop()
    await one.pass()
    assert.equal(one.scheduler.pending, 0, 'it asks no more')
  }
})

test('a process that is alone exchanges nothing', async () => {
  const { scheduler, shared } = processOf(OWN_ALLOWANCES, new ManualClock())
  assert.equal(scheduler.pending, 0)
  await shared.stop()
})
