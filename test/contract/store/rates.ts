import assert from 'node:assert/strict'
import { test } from 'node:test'
import { rateSetOf } from '../../../src/domain/rate-set.js'
import { NO_RATES, type RateTerms, RECEIPTS_MAX, rateFor } from '../../../src/domain/rates.js'
import { START_MS } from '../../support/manual-clock.js'
import { type OpenStore, type Scenario, withStore } from './harness.js'

const TERMS: RateTerms = { jump: 1000, maxAgeMs: 600_000 }

/** The rates that all processes of a store share. */
export function describeRates(open: OpenStore): void {
  const scenario = (name: string, run: (t: Scenario) => Promise<void>) => test(name, withStore(open, run))
  /** What becomes of rates in euros that are dated now. */
  const give = async (t: Scenario, euros: Readonly<Record<string, string>>, at = t.clock.now()) => {
    const read = rateSetOf({ at, rates: { EUR: euros } })
    assert.ok(read.ok, JSON.stringify(read))
    return await t.store.rates.take({ origin: 'push', set: read.set }, TERMS)
  }
  const rate = async (t: Scenario, coin: string) => {
    const found = rateFor(await t.store.rates.current(), { currency: 'EUR', coin }, TERMS.maxAgeMs, t.clock.now())
    return found.ok ? found.rate : found.why
  }

  scenario('there are none before a set has come', async (t) => {
    assert.deepEqual(await t.store.rates.current(), NO_RATES)
    await t.harness.reopen()
    assert.deepEqual(await t.store.rates.current(), NO_RATES)
  })

  scenario('a set is in force as soon as its verdict is answered, and after a restart', async (t) => {
    assert.deepEqual(await give(t, { USDT: '0.920', ETH: '2950.10' }), { kind: 'accepted', held: [], leftOut: [] })
    assert.deepEqual([await rate(t, 'USDT'), await rate(t, 'ETH')], ['0.920', '2950.10'])
    const before = await t.store.rates.current()
    assert.equal(before.at, START_MS)
    await t.harness.reopen()
    assert.deepEqual(await t.store.rates.current(), before)
  })

  scenario('a set is judged by the clock of the store: none is from its future', async (t) => {
    const verdict = await give(t, { USDT: '0.92' }, t.clock.now() + 1)
    assert.equal(verdict.kind === 'refused' && verdict.refusal.reason, 'future')
    assert.equal(await rate(t, 'USDT'), 'unknown')
  })

  scenario('a jump that is held back stays so over a restart, and its confirmation counts from before', async (t) => {
    await give(t, { ETH: '3000' })
    t.clock.advance(60_000)
    const verdict = await give(t, { ETH: '300' })
    assert.equal(verdict.kind === 'accepted' && verdict.held.length, 1)
    await t.harness.reopen()
    assert.equal(await rate(t, 'ETH'), 'held')
    t.clock.advance(30_000)
    await give(t, { ETH: '301' })
    assert.equal(await rate(t, 'ETH'), '301')
  })

  scenario('what came is remembered with what became of it; the present set again is not', async (t) => {
    await give(t, { USDT: '0.92' })
    assert.deepEqual(await give(t, { USDT: '0.92' }, START_MS), { kind: 'repeated' })
    t.clock.advance(1000)
    const refusal = { reason: 'not_json', detail: 'it is not JSON: \u2028, "\\' } as const
    for (let n = 0; n < 3; n += 1) {
      const verdict = await t.store.rates.take({ origin: 'https', refusal }, TERMS)
      assert.deepEqual(verdict, { kind: 'refused', refusal })
    }
    const old = await give(t, { USDT: '0.5' }, START_MS - 1)
    assert.equal(old.kind === 'refused' && old.refusal.reason, 'older')
    t.clock.advance(1000)
    await give(t, { ETH: '3000' })
    await t.harness.reopen()
    const { receipts } = await t.store.rates.current()
    assert.deepEqual(
      receipts.map(({ receivedAt, count, origin, at, refusal: why, held, leftOut }) => [
        ...[receivedAt - START_MS, count, origin, at === null ? null : at - START_MS],
        ...[why?.reason ?? 'accepted', held, leftOut],
      ]),
      [
        [2000, 1, 'push', 2000, 'accepted', 0, 1],
        [1000, 1, 'push', -1, 'older', 0, 0],
        [1000, 3, 'https', null, 'not_json', 0, 0],
        [0, 1, 'push', 0, 'accepted', 0, 0],
      ],
    )
    assert.deepEqual(receipts[2]?.refusal, refusal)
  })

  scenario('no more is remembered than the bounds say', async (t) => {
    for (let n = 0; n < RECEIPTS_MAX + 2; n += 1) {
      t.clock.advance(1)
      await give(t, { USDT: '0.92' })
    }
    assert.equal((await t.store.rates.current()).receipts.length, RECEIPTS_MAX)
  })

  scenario('of sets that come at once each is judged by those before it', async (t) => {
    const verdicts = await Promise.all(['1', '1', '1'].map((usdt) => give(t, { USDT: usdt })))
    assert.deepEqual(verdicts.map(({ kind }) => kind).sort(), ['accepted', 'repeated', 'repeated'])
    t.clock.advance(1)
    const others = await Promise.all(['1', '2'].map((usdt) => give(t, { USDT: usdt })))
    assert.deepEqual(others.map(({ kind }) => kind).sort(), ['accepted', 'refused'])
  })
}
