import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { type RateSet, rateSetOf } from '../../../src/domain/rate-set.js'
import { judgeRates, NO_RATES, type RateTable, type RateVerdict } from '../../../src/domain/rates.js'
import { pushedRateHandlers, type RatesInUse, rateHandlers } from '../../../src/http/routes/rates.js'
import { rateSetIn } from '../../../src/rates/rate-source.js'
import { ManualClock, START_MS } from '../../support/manual-clock.js'
import { callRoute } from './call-route.js'

const MAX_AGE_MS = 600_000
const TERMS = { jump: 1000, maxAgeMs: MAX_AGE_MS }

function setAt(at: number, rates: unknown): RateSet {
  const read = rateSetOf({ at, rates })
  assert.ok(read.ok, JSON.stringify(read))
  return read.set
}

/** What is answered after sets that came when they were dated. */
async function answered(sets: readonly RateSet[], nowMs: number, inUse: Partial<RatesInUse> = {}) {
  const table = sets.reduce((before: RateTable, set) => judgeRates(before, set, TERMS, set.at).table, NO_RATES)
  const clock = new ManualClock(nowMs)
  const rates = { current: () => table }
  const handlers = rateHandlers({ rates, clock, origin: 'file', maxAgeMs: MAX_AGE_MS, spread: 0, ...inUse })
  const { status, body } = await callRoute(handlers, 'GET', '/api/rates')
  assert.equal(status, 200)
  return body as Record<string, unknown>
}

describe('GET /api/rates', () => {
  test('says that there are none', async () => {
    assert.deepEqual(await answered([], START_MS, { origin: null }), {
      source: 'off',
      at: null,
      age_seconds: null,
      max_age_seconds: 600,
      spread: '0',
      rates: {},
      withheld: [],
    })
  })

  test('says what is in force, how old it is, and what is withheld and why', async () => {
    const sets = [
      setAt(START_MS, { EUR: { USDT: '0.920', ETH: '2950.10', TRX: '0.25' }, USD: { USDT: '1' } }),
      setAt(START_MS + 60_000, { EUR: { USDT: '0.93', ETH: '295.01' } }),
    ]
    const trx = { currency: 'EUR', coin: 'TRX', why: 'left_out', rate: '0.25', at: START_MS, held: null }
    const usd = { currency: 'USD', coin: 'USDT', why: 'left_out', rate: '1', at: START_MS, held: null }
    const held = { rate: '295.01', since: START_MS + 60_000 }
    const eth = { currency: 'EUR', coin: 'ETH', why: 'held', rate: '2950.10', at: START_MS, held }
    assert.deepEqual(await answered(sets, START_MS + 101_999, { spread: 50 }), {
      source: 'file',
      at: START_MS + 60_000,
      age_seconds: 41,
      max_age_seconds: 600,
      spread: '0.5',
      rates: { EUR: { USDT: '0.93' } },
      withheld: [eth, trx, usd],
    })
    const old = await answered(sets.slice(0, 1), START_MS + MAX_AGE_MS + 1)
    assert.deepEqual(old['rates'], {})
    assert.deepEqual(
      (old['withheld'] as readonly { readonly why: string }[]).map(({ why }) => why),
      ['old', 'old', 'old', 'old'],
    )
  })

  test('writes the spread in percent, exactly', async () => {
    for (const [spread, text] of [
      [0, '0'],
      [1, '0.01'],
      [10, '0.1'],
      [100, '1'],
      [125, '1.25'],
      [10_000, '100'],
    ] as const) {
      assert.equal((await answered([], START_MS, { spread }))['spread'], text)
    }
  })
})

describe('POST /internal/rates', () => {
  const pushed = async (body: string | Uint8Array, verdict?: RateVerdict) => {
    const handlers = pushedRateHandlers(async (bytes) => {
      const read = rateSetIn(bytes)
      if (!read.ok) return { at: null, verdict: { kind: 'refused', refusal: read.refusal } }
      return { at: read.set.at, verdict: verdict ?? judgeRates(NO_RATES, read.set, TERMS, START_MS).verdict }
    })
    return await callRoute(handlers, 'POST', '/internal/rates', { body }, { access: 'trusted' })
  }
  const textAt = (at: number) => JSON.stringify({ at, rates: { EUR: { USDT: '0.92' } } })

  test('answers what became of a set, with the coins that have no rate by it', async () => {
    const { status, body } = await pushed(textAt(START_MS))
    assert.deepEqual([status, body], [200, { status: 'accepted', at: START_MS, held: [], left_out: [] }])
    const known = { currency: 'EUR', coin: 'ETH', rate: '1', at: 1, held: null }
    const told = await pushed(textAt(START_MS), {
      kind: 'accepted',
      held: [known],
      leftOut: [{ ...known, coin: 'TRX' }],
    })
    assert.deepEqual(told.body, {
      status: 'accepted',
      at: START_MS,
      held: [{ currency: 'EUR', coin: 'ETH' }],
      left_out: [{ currency: 'EUR', coin: 'TRX' }],
    })
    const again = await pushed(textAt(START_MS), { kind: 'repeated' })
    assert.deepEqual(again.body, { status: 'repeated', at: START_MS, held: [], left_out: [] })
  })

  const REFUSED: readonly (readonly [
    what: string,
    body: string | Uint8Array,
    code: string,
    field: string | undefined,
  ])[] = [
    ['a page', '<html>', 'invalid_json', undefined],
    ['nothing', '', 'invalid_json', undefined],
    ['a list', '[]', 'invalid_json', undefined],
    ['bytes that are no text', Buffer.from([0x7b, 0xff, 0x7d]), 'invalid_json', undefined],
    ['a bad value', '{"at":1,"rates":{"EUR":{"USDT":"1e400"}}}', 'invalid_rates', 'rates'],
    ['a set from the future', textAt(START_MS + 1), 'invalid_rates', 'at'],
    ['a set that is too old', textAt(START_MS - MAX_AGE_MS - 1), 'invalid_rates', 'at'],
  ]
  for (const [what, body, code, field] of REFUSED) {
    test(`refuses ${what} with ${code}`, async () => {
      const { status, body: answer } = await pushed(body)
      const { code: told, field: blamed } = answer as { readonly code: string; readonly field?: string }
      assert.deepEqual([status, told, blamed], [400, code, field])
    })
  }
})
