import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { type RateSet, rateSetOf } from '../../src/domain/rate-set.js'
import { isJump, judgeRates, NO_RATES, type RateTable, rateFor } from '../../src/domain/rates.js'

/*
 * Whatever a source gives in whatever order: a rate that is in force is one that the present set says and that was near the one before,
 * or that each set since one of 30 seconds ago has said. It is judged by the sets alone, not by what is kept of them.
 */

const START_MS = 1_700_000_000_000
const TERMS = { jump: 1000, maxAgeMs: 600_000 }
const COINS = ['A', 'B']
const APART_MS = 30_000

interface Step {
  /** How much later than the last set it comes, and how much earlier it is dated; below 0 it is from the future. */
  readonly laterMs: number
  readonly lateMs: number
  readonly rates: readonly (number | null)[]
}

const rate = fc.option(fc.constantFrom(100, 105, 109, 111, 120, 130, 133, 200, 210, 1000, 1), { freq: 6, nil: null })
const step: fc.Arbitrary<Step> = fc.record({
  laterMs: fc.constantFrom(0, 1, 10_000, 29_999, 30_000, 60_000, 599_999, 700_000),
  lateMs: fc.constantFrom(0, 0, 0, 1, 20_000, 60_000, -1),
  rates: fc.tuple(rate, rate),
})

function setOf({ rates }: Step, at: number): RateSet | null {
  const EUR = Object.fromEntries(COINS.flatMap((coin, i) => (rates[i] === null ? [] : [[coin, String(rates[i])]])))
  const read = rateSetOf({ at, rates: { EUR } })
  return read.ok ? read.set : null
}

/** The last rate of a coin that was in force, and the sets that were accepted since, oldest first; by nothing but the rule. */
interface Witnessed {
  lastUsed: string | null
  readonly since: { readonly at: number; readonly rate: string | null }[]
}

/** Whether a rate may be in force now, whose set is the last one. */
function isJustified({ lastUsed, since }: Witnessed): boolean {
  const present = since.at(-1)
  if (present === undefined || present.rate === null) return false
  const said = present.rate
  if (lastUsed === null || !isJump(lastUsed, said, TERMS.jump)) return true
  return since.some((first, i) => {
    if (first.rate === null || present.at - first.at < APART_MS) return false
    const witness = first.rate
    return since
      .slice(i)
      .every(({ rate: one }) => one !== null && isJump(lastUsed, one, TERMS.jump) && !isJump(witness, one, TERMS.jump))
  })
}

test('no rate is in force that the sets do not justify, whatever a source gives', () => {
  const seen = { used: 0, held: 0, leftOut: 0, confirmed: 0, refused: 0, repeated: 0 }
  fc.assert(
    fc.property(fc.array(step, { minLength: 1, maxLength: 25 }), (steps) => {
      let table: RateTable = NO_RATES
      let nowMs = START_MS
      const known = new Map(COINS.map((coin): [string, Witnessed] => [coin, { lastUsed: null, since: [] }]))
      for (const one of steps) {
        nowMs += one.laterMs
        const set = setOf(one, nowMs - one.lateMs)
        if (set === null) continue
        const before = table
        const { table: after, verdict } = judgeRates(table, set, TERMS, nowMs)
        table = after
        if (verdict.kind !== 'accepted') {
          seen[verdict.kind] += 1
          assert.equal(table, before)
          assert.ok(verdict.kind === 'refused' || set.at === before.at)
          continue
        }
        assert.ok(set.at <= nowMs && nowMs - set.at <= TERMS.maxAgeMs && (before.at === null || set.at > before.at))
        for (const [coin, witnessed] of known) {
          const given: string | null = set.rates.find((found) => found.coin === coin)?.rate ?? null
          witnessed.since.push({ at: set.at, rate: given })
          const found = rateFor(table, { currency: 'EUR', coin }, TERMS.maxAgeMs, nowMs)
          if (!found.ok) {
            assert.ok(given === null ? found.why !== 'held' : found.why === 'held', `${coin}: ${found.why}`)
            seen[given === null ? 'leftOut' : 'held'] += 1
            continue
          }
          assert.deepEqual([found.rate, found.at], [given, set.at])
          assert.ok(isJustified(witnessed), `${coin} ${found.rate}: ${JSON.stringify(witnessed)}`)
          if (witnessed.lastUsed !== null && isJump(witnessed.lastUsed, found.rate, TERMS.jump)) seen.confirmed += 1
          seen.used += 1
          witnessed.lastUsed = found.rate
          witnessed.since.length = 0
        }
        assert.equal(rateFor(table, { currency: 'EUR', coin: 'A' }, TERMS.maxAgeMs, set.at + 600_001).ok, false)
      }
    }),
    { seed: 20261127, numRuns: 2000 },
  )
  for (const [what, times] of Object.entries(seen)) assert.ok(times > 0, `${what}: ${times}`)
})
