import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { rateSetOf } from '../../src/domain/rate-set.js'
import { judgeRates, NO_RATES, type RateTable } from '../../src/domain/rates.js'
import { RateWatch } from '../../src/rates/rate-watch.js'
import { ManualClock, START_MS } from '../support/manual-clock.js'
import { ManualScheduler } from '../support/manual-scheduler.js'

const MAX_AGE_MS = 600_000

function opened() {
  const clock = new ManualClock()
  const scheduler = new ManualScheduler()
  const shared: { table: RateTable | Error } = { table: NO_RATES }
  const current = async () => {
    if (shared.table instanceof Error) throw shared.table
    return shared.table
  }
  const watch = new RateWatch({ rates: { current }, maxAgeMs: MAX_AGE_MS, now: () => clock.now(), scheduler })
  const look = async () => {
    scheduler.pass(1000)
    await setImmediate()
  }
  const give = async (rates: Readonly<Record<string, Readonly<Record<string, string>>>>) => {
    const read = rateSetOf({ at: clock.now(), rates })
    assert.ok(read.ok && !(shared.table instanceof Error))
    shared.table = judgeRates(shared.table, read.set, { jump: 1000, maxAgeMs: MAX_AGE_MS }, clock.now()).table
    await look()
  }
  return { clock, watch, shared, look, give, texts: () => watch.complaints().map(({ text }) => text) }
}

test('rates are degraded until a set comes, and from three quarters of their greatest age on', async () => {
  const { clock, watch, look, give, texts } = opened()
  assert.deepEqual(texts(), [])
  watch.start()
  await look()
  assert.deepEqual(texts(), ['There are no rates: no set has come yet.'])
  await give({ EUR: { USDT: '0.92' } })
  assert.deepEqual(texts(), [])
  clock.advance(449_999)
  assert.deepEqual(texts(), [])
  clock.advance(1)
  assert.deepEqual(texts(), ['The rates are 450 s old, and used up to 600 s only.'])
  clock.advance(150_001)
  assert.deepEqual(texts(), ['The rates are 600 s old and not used: 600 s are allowed.'])
  await give({ EUR: { USDT: '0.92' } })
  assert.deepEqual(texts(), [])
  await watch.stop()
})

test('so they are while one is held back', async () => {
  const { clock, watch, look, give, texts } = opened()
  watch.start()
  await look()
  await give({ EUR: { USDT: '0.92', ETH: '3000' } })
  clock.advance(60_000)
  await give({ EUR: { USDT: '0.92', ETH: '300' } })
  assert.deepEqual(texts(), ['The rate of ETH in EUR is held back, because it jumped.'])
  clock.advance(20_000)
  await give({ EUR: { USDT: '9.2', ETH: '300' } })
  assert.deepEqual(texts(), ['The rate of ETH in EUR and 1 more is held back, because it jumped.'])
  clock.advance(20_000)
  await give({ EUR: { USDT: '0.92', ETH: '300' } })
  assert.deepEqual(texts(), [])
  await watch.stop()
})

test('the age is that of the newest accepted rate in each currency, and grows while the store is away', async () => {
  const { clock, watch, look, give, shared } = opened()
  watch.start()
  await give({ EUR: { USDT: '1', ETH: '3000' }, USD: { USDT: '1' } })
  clock.advance(60_000)
  await give({ EUR: { USDT: '1' } })
  assert.deepEqual(watch.currencies(), [
    { currency: 'EUR', ageMs: 0, withheld: 1 },
    { currency: 'USD', ageMs: 60_000, withheld: 1 },
  ])
  shared.table = new Error('the store is away')
  clock.advance(700_000)
  await look()
  assert.deepEqual(watch.currencies(), [
    { currency: 'EUR', ageMs: 700_000, withheld: 2 },
    { currency: 'USD', ageMs: 760_000, withheld: 1 },
  ])
  assert.equal(clock.now(), START_MS + 760_000)
  await watch.stop()
})
