import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import type { ReadSet } from '../../src/domain/rate-set.js'
import { judgeRates, NO_RATES, type RateTable, type RateTerms } from '../../src/domain/rates.js'
import { SandboxRates } from '../../src/sandbox/sandbox-rates.js'
import type { RatePort } from '../../src/store/rates.js'
import { ManualClock } from '../support/manual-clock.js'
import { ManualScheduler } from '../support/manual-scheduler.js'

const MAX_AGE_MS = 600_000

function opened(areOwn = true) {
  const clock = new ManualClock()
  const timers = new ManualScheduler()
  let table: RateTable = NO_RATES
  const rates: RatePort = { current: () => table, take: () => assert.fail('the intake takes sets') }
  const take = async (_: 'sandbox', read: ReadSet, terms: RateTerms) => {
    if (!read.ok) return { kind: 'refused' as const, refusal: read.refusal }
    const judged = judgeRates(table, read.set, terms, clock.now())
    table = judged.table
    return judged.verdict
  }
  const sandbox = new SandboxRates({
    store: { rates, readClock: () => clock.now() },
    take,
    maxAgeMs: MAX_AGE_MS,
    areOwn,
    scheduler: timers,
    log: { error: () => assert.fail('it failed') },
  })
  const pass = async (ms: number) => {
    clock.advance(ms)
    timers.pass(ms)
    for (let n = 0; n < 5; n += 1) await setImmediate()
  }
  const names = () =>
    table.known.filter(({ at }) => at === table.at).map(({ currency, coin, rate }) => [currency, coin, rate].join(' '))
  return { sandbox, clock, pass, names, ageMs: () => clock.now() - (table.at ?? 0) }
}

test('what was set is dated anew before it gets old, and stays as it is', async () => {
  const { sandbox, pass, names, ageMs } = opened()
  await sandbox.start()
  assert.equal(names().length, 8)
  await pass(1)
  await sandbox.set({ EUR: { USDT: '5' } })
  for (let n = 0; n < 10; n += 1) {
    await pass(MAX_AGE_MS / 4)
    assert.ok(ageMs() <= MAX_AGE_MS / 4)
    assert.deepEqual(names(), ['EUR USDT 5'])
  }
  await sandbox.stop()
})

test('a set that comes in the millisecond of the present one waits for the next', async () => {
  const { sandbox, pass, names } = opened()
  await sandbox.start()
  const set = sandbox.set({ EUR: { USDT: '5' } })
  for (let n = 0; n < 5; n += 1) await setImmediate()
  await pass(2)
  assert.equal((await set).verdict.kind, 'accepted')
  assert.deepEqual(names(), ['EUR USDT 5'])
  await sandbox.stop()
})

test('where rates come from elsewhere nothing is set before somebody sets it, and nothing is renewed', async () => {
  const { sandbox, pass, names, ageMs } = opened(false)
  await sandbox.start()
  assert.deepEqual(names(), [])
  await sandbox.set({ EUR: { USDT: '5' } })
  await pass(MAX_AGE_MS)
  assert.equal(ageMs(), MAX_AGE_MS)
  await sandbox.stop()
})
