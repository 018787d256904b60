import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { type RateSet, rateSetOf } from '../../src/domain/rate-set.js'
import {
  isJump,
  judgeRates,
  NO_RATES,
  type RateReceipt,
  type RateTable,
  type RateTerms,
  RECEIPTS_MAX,
  rateFor,
  ratesAt,
  withReceipt,
} from '../../src/domain/rates.js'

const START_MS = 1_700_000_000_000
const MAX_AGE_MS = 600_000
/** 10 %. */
const TERMS: RateTerms = { jump: 1000, maxAgeMs: MAX_AGE_MS }

type Coins = Readonly<Record<string, string>>

function setOf(atMs: number, euros: Coins, more: Readonly<Record<string, Coins>> = {}): RateSet {
  const read = rateSetOf({ at: START_MS + atMs, rates: { EUR: euros, ...more } })
  assert.ok(read.ok, JSON.stringify(read))
  return read.set
}

/** A service to which sets come. Times are milliseconds after the start. */
class Sets {
  table: RateTable = NO_RATES

  constructor(private readonly terms = TERMS) {}

  /** What becomes of a set that comes when it is dated, or later: a refusal by its reason. */
  give(atMs: number, euros: Coins, nowMs = atMs, more: Readonly<Record<string, Coins>> = {}): string {
    const { table, verdict } = judgeRates(this.table, setOf(atMs, euros, more), this.terms, START_MS + nowMs)
    this.table = table
    if (verdict.kind === 'refused') return verdict.refusal.reason
    if (verdict.kind === 'repeated') return 'repeated'
    const told = [
      ...verdict.held.map(({ coin }) => `${coin} held`),
      ...verdict.leftOut.map(({ coin }) => `${coin} left out`),
    ]
    return ['accepted', ...told].join(', ')
  }

  /** The rate of a coin in euros, or why there is none. */
  rate(coin: string, nowMs: number, currency = 'EUR'): string {
    const found = rateFor(this.table, { currency, coin }, this.terms.maxAgeMs, START_MS + nowMs)
    return found.ok ? found.rate : found.why
  }
}

describe('rates in force', () => {
  test('are those of the present set, with its date', () => {
    const sets = new Sets()
    assert.equal(sets.rate('USDT', 0), 'unknown')
    assert.equal(sets.give(0, { USDT: '0.92', ETH: '2950.10' }), 'accepted')
    assert.equal(sets.rate('ETH', 0), '2950.10')
    assert.equal(sets.give(60_000, { USDT: '0.93', ETH: '3000' }), 'accepted')
    const found = rateFor(sets.table, { currency: 'EUR', coin: 'USDT' }, MAX_AGE_MS, START_MS + 60_000)
    assert.deepEqual(found, { ok: true, rate: '0.93', at: START_MS + 60_000 })
  })

  test('are none of a coin, or in a currency, that no set has named, and never 1', () => {
    const sets = new Sets()
    sets.give(0, { USDT: '0.92' })
    assert.equal(sets.rate('USDC', 0), 'unknown')
    assert.equal(sets.rate('EUR', 0), 'unknown')
    assert.equal(sets.rate('USDT', 0, 'USD'), 'unknown')
    assert.equal(sets.rate('usdt', 0), 'unknown')
    for (const name of ['__proto__', 'constructor', 'toString']) {
      assert.equal(sets.rate(name, 0), 'unknown')
      assert.equal(sets.rate('USDT', 0, name), 'unknown')
    }
  })

  test('are used up to their greatest age, to the millisecond', () => {
    const sets = new Sets()
    sets.give(0, { USDT: '0.92' })
    assert.equal(sets.rate('USDT', MAX_AGE_MS), '0.92')
    assert.equal(sets.rate('USDT', MAX_AGE_MS + 1), 'old')
  })

  test('are none when the clock was set back behind them', () => {
    const sets = new Sets()
    sets.give(60_000, { USDT: '0.92' })
    // Clocks of processes that share a store are no more apart than this.
    assert.equal(sets.rate('USDT', 58_000), '0.92')
    assert.equal(sets.rate('USDT', 57_999), 'old')
  })
})

describe('a set is refused whole', () => {
  test('when it is dated later than now', () => {
    const sets = new Sets()
    sets.give(0, { USDT: '0.92' })
    assert.equal(sets.give(60_001, { USDT: '0.93' }, 60_000), 'future')
    assert.equal(sets.rate('USDT', 60_000), '0.92')
  })

  test('when it is dated before the present set: yesterday comes to nothing', () => {
    const sets = new Sets()
    sets.give(86_400_000, { USDT: '0.92' })
    assert.equal(sets.give(0, { USDT: '0.8' }, 86_400_001), 'older')
    assert.equal(sets.give(86_399_999, { USDT: '0.92' }, 86_400_001), 'older')
    assert.equal(sets.rate('USDT', 86_400_001), '0.92')
  })

  test('when it is too old as it comes', () => {
    const sets = new Sets()
    assert.equal(sets.give(0, { USDT: '0.92' }, MAX_AGE_MS + 1), 'outdated')
    assert.equal(sets.rate('USDT', MAX_AGE_MS + 1), 'unknown')
    assert.equal(sets.give(0, { USDT: '0.92' }, MAX_AGE_MS), 'accepted')
  })

  test('when it has the date of the present set and says something else', () => {
    const sets = new Sets()
    sets.give(0, { USDT: '0.92', ETH: '3000' })
    const others: readonly Coins[] = [
      { USDT: '0.93', ETH: '3000' },
      { USDT: '0.920', ETH: '3000' },
      { USDT: '0.92' },
      { USDT: '0.92', TRX: '3000' },
      { USDT: '0.92', ETH: '3000', TRX: '1' },
    ]
    for (const other of others) assert.equal(sets.give(0, other, 5), 'contradiction', JSON.stringify(other))
    assert.equal(sets.rate('ETH', 5), '3000')
  })
})

test('the same set again is no news and makes nothing younger', () => {
  const sets = new Sets()
  sets.give(0, { USDT: '0.92' })
  const { table } = sets
  assert.equal(sets.give(0, { USDT: '0.92' }, 300_000), 'repeated')
  assert.equal(sets.give(0, { USDT: '0.92' }, 900_000), 'repeated')
  assert.equal(sets.table, table)
  assert.equal(sets.rate('USDT', 900_000), 'old')
})

describe('a jump', () => {
  const JUMPS: readonly (readonly [before: string, after: string, hundredths: number, isJump: boolean])[] = [
    ['100', '110', 1000, false],
    ['100', '110.000000000000000001', 1000, true],
    ['100', '90', 1000, false],
    ['100', '89.999999999999999999', 1000, true],
    ['0.000000000000000001', '0.000000000000000001', 0, false],
    ['0.000000000000000001', '0.000000000000000002', 9999, true],
    ['1', '1.0', 0, false],
    ['1', '1.000000000000000001', 0, true],
    ['999999999999999999', '0.000000000000000001', 9999, true],
    ['1', '100000', 100_000, true],
    ['1', '11', 100_000, false],
    ['0.3', '0.33', 1000, false],
    ['0.1', '0.11', 1000, false],
  ]
  for (const [before, after, hundredths, expected] of JUMPS) {
    test(`of ${hundredths / 100} %: ${before} to ${after} is ${expected ? 'one' : 'none'}`, () => {
      assert.equal(isJump(before, after, hundredths), expected)
    })
  }

  test('leaves its coin without a rate, and no other', () => {
    const sets = new Sets()
    sets.give(0, { ETH: '3000', USDT: '0.92' }, 0, { USD: { ETH: '3200' } })
    assert.equal(
      sets.give(60_000, { ETH: '300', USDT: '0.93' }, 60_000, { USD: { ETH: '3210' } }),
      'accepted, ETH held',
    )
    assert.deepEqual([sets.rate('ETH', 60_000), sets.rate('USDT', 60_000)], ['held', '0.93'])
    assert.equal(sets.rate('ETH', 60_000, 'USD'), '3210')
  })

  test('is confirmed by a set that is dated 30 seconds later, and not sooner', () => {
    const sets = new Sets()
    sets.give(0, { ETH: '3000' })
    assert.equal(sets.give(60_000, { ETH: '300' }), 'accepted, ETH held')
    assert.equal(sets.give(89_999, { ETH: '301' }), 'accepted, ETH held')
    assert.equal(sets.rate('ETH', 89_999), 'held')
    assert.equal(sets.give(90_000, { ETH: '302' }), 'accepted')
    assert.equal(sets.rate('ETH', 90_000), '302')
  })

  test('is not confirmed by the set that said so first, however often it comes', () => {
    const sets = new Sets()
    sets.give(0, { ETH: '3000' })
    sets.give(60_000, { ETH: '300' })
    for (const nowMs of [90_000, 120_000, 600_000]) assert.equal(sets.give(60_000, { ETH: '300' }, nowMs), 'repeated')
    assert.equal(sets.rate('ETH', 600_000), 'held')
  })

  test('is not confirmed by a set that has jumped elsewhere: that one begins again', () => {
    const sets = new Sets()
    sets.give(0, { ETH: '3000' })
    sets.give(60_000, { ETH: '300' })
    assert.equal(sets.give(120_000, { ETH: '30000' }), 'accepted, ETH held')
    assert.equal(sets.give(149_999, { ETH: '30000' }), 'accepted, ETH held')
    assert.equal(sets.give(150_000, { ETH: '30000' }), 'accepted')
  })

  test('is compared with the first witness: a climb within the bound each time confirms nothing', () => {
    const sets = new Sets()
    sets.give(0, { ETH: '1000' })
    for (const [n, rate] of ['1200', '1310', '1430', '1560', '1700'].entries()) {
      // Each is within 10 % of the one before, and every second one too far from the first witness.
      assert.equal(sets.give(60_000 + n * 29_000, { ETH: rate }), 'accepted, ETH held', rate)
    }
  })

  test('is over when the next set is near the accepted rate again', () => {
    const sets = new Sets()
    sets.give(0, { ETH: '3000' })
    sets.give(60_000, { ETH: '300' })
    assert.equal(sets.give(120_000, { ETH: '3100' }), 'accepted')
    assert.equal(sets.rate('ETH', 120_000), '3100')
    assert.equal(sets.give(180_000, { ETH: '300' }), 'accepted, ETH held')
    assert.equal(sets.give(181_000, { ETH: '300' }), 'accepted, ETH held')
  })

  test('is one after any pause: the last accepted rate is remembered', () => {
    const sets = new Sets()
    sets.give(0, { ETH: '3000' })
    assert.equal(sets.give(9_000_000, { ETH: '4000' }), 'accepted, ETH held')
  })

  test('is none where nothing is too much', () => {
    const sets = new Sets({ ...TERMS, jump: null })
    sets.give(0, { ETH: '3000' })
    assert.equal(sets.give(1, { ETH: '0.0001' }), 'accepted')
  })
})

describe('a coin that a set leaves out', () => {
  test('has no rate from then on, and is told once', () => {
    const sets = new Sets()
    sets.give(0, { ETH: '3000', USDT: '0.92' })
    assert.equal(sets.give(60_000, { USDT: '0.92' }), 'accepted, ETH left out')
    assert.equal(sets.rate('ETH', 60_000), 'left_out')
    assert.equal(sets.give(120_000, { USDT: '0.92' }), 'accepted')
    assert.equal(sets.rate('ETH', 120_000), 'left_out')
  })

  test('is compared with its last rate when it comes back within a day', () => {
    const sets = new Sets()
    sets.give(0, { ETH: '3000', USDT: '0.92' })
    sets.give(60_000, { USDT: '0.92' })
    assert.equal(sets.give(120_000, { ETH: '300', USDT: '0.92' }), 'accepted, ETH held')
    assert.equal(sets.give(180_000, { ETH: '3010', USDT: '0.92' }), 'accepted')
    assert.equal(sets.rate('ETH', 180_000), '3010')
  })

  test('is no second witness of its jump, and begins again', () => {
    const sets = new Sets()
    sets.give(0, { ETH: '3000', USDT: '0.92' })
    sets.give(60_000, { ETH: '300', USDT: '0.92' })
    assert.equal(sets.give(120_000, { USDT: '0.92' }), 'accepted, ETH left out')
    assert.equal(sets.give(180_000, { ETH: '300', USDT: '0.92' }), 'accepted, ETH held')
  })

  test('is forgotten after a day', () => {
    const sets = new Sets()
    sets.give(0, { ETH: '3000', USDT: '0.92' })
    sets.give(86_400_000, { USDT: '0.92' })
    assert.equal(sets.rate('ETH', 86_400_000), 'left_out')
    sets.give(86_400_001, { USDT: '0.92' })
    assert.equal(sets.rate('ETH', 86_400_001), 'unknown')
    assert.equal(sets.table.known.length, 1)
  })

  test('is remembered beside a bounded number of others', () => {
    const sets = new Sets()
    const names = (from: number) => Object.fromEntries(Array.from({ length: 200 }, (_, n) => [`C${from + n}`, '1']))
    for (let n = 0; n < 15; n += 1) sets.give(n, names(n * 200))
    assert.ok(sets.table.known.length <= 2200, String(sets.table.known.length))
    assert.equal(sets.rate('C0', 15), 'unknown')
    assert.equal(sets.rate('C2799', 15), 'left_out')
  })
})

test('all pairs are listed with what is in force, in the order of their names', () => {
  const sets = new Sets()
  sets.give(0, { USDT: '1', ETH: '3000', TRX: '0.2' }, 0, { AUD: { USDT: '1.5' } })
  sets.give(60_000, { USDT: '2', ETH: '3001' })
  const listed = ratesAt(sets.table, MAX_AGE_MS, START_MS + 60_000).map(({ currency, coin, now }) => {
    return `${currency} ${coin} ${now.ok ? now.rate : now.why}`
  })
  assert.deepEqual(listed, ['AUD USDT left_out', 'EUR ETH 3001', 'EUR TRX left_out', 'EUR USDT held'])
})

describe('what sources gave', () => {
  const receipt = (n: number, fields: Partial<RateReceipt> = {}) => ({
    ...{ receivedAt: n, origin: 'file' as const, at: null, held: 0, leftOut: 0 },
    refusal: { reason: 'not_json' as const, detail: 'it is not JSON' },
    ...fields,
  })

  test('is remembered, the newest first and only the last ones', () => {
    let table = NO_RATES
    for (let n = 1; n <= RECEIPTS_MAX + 5; n += 1) table = withReceipt(table, receipt(n, { at: n, refusal: null }))
    assert.deepEqual(
      table.receipts.map(({ receivedAt }) => receivedAt),
      Array.from({ length: RECEIPTS_MAX }, (_, n) => RECEIPTS_MAX + 5 - n),
    )
  })

  test('counts what is refused again and again, so that it hides nothing', () => {
    let table = withReceipt(NO_RATES, receipt(1, { at: 1, refusal: null }))
    for (let n = 2; n <= 100; n += 1) table = withReceipt(table, receipt(n))
    assert.deepEqual(
      table.receipts.map(({ receivedAt, count }) => [receivedAt, count]),
      [
        [100, 99],
        [1, 1],
      ],
    )
    table = withReceipt(table, receipt(101, { origin: 'push' }))
    table = withReceipt(table, receipt(102, { refusal: { reason: 'status', detail: 'it answered 500' } }))
    assert.deepEqual(
      table.receipts.map(({ count }) => count),
      [1, 1, 99, 1],
    )
  })
})
