import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { RateTable } from '../../src/domain/rates.js'
import { ratesForOrders } from '../../src/service/rates.js'

const AT = 1_700_000_000_000
const MAX_AGE_MS = 900_000
const known = { currency: 'EUR', at: AT, held: null }
const TABLE: RateTable = {
  at: AT,
  known: [
    { ...known, coin: 'ETH', rate: '2950.10', at: AT - 60_000 },
    { ...known, coin: 'TRX', rate: '0.1', held: { since: AT, first: '9', last: '9' } },
    { ...known, coin: 'USDT', rate: '0.92' },
  ],
  receipts: [],
}

test('orders are priced by the rates that are in force, with the spread, and by no others', async () => {
  const inUse = { origin: 'file' as const, maxAgeMs: MAX_AGE_MS, spread: 50 }
  const rates = await ratesForOrders({ current: () => TABLE }, inUse)
  assert.deepEqual(rates.rateFor('EUR', 'USDT', AT + MAX_AGE_MS), { rate: '0.92', at: AT, spread: 50 })
  // Too old, left out, held back, and unknown.
  assert.equal(rates.rateFor('EUR', 'USDT', AT + MAX_AGE_MS + 1), null)
  for (const coin of ['ETH', 'TRX', 'USDC']) assert.equal(rates.rateFor('EUR', coin, AT), null)
  const none = await ratesForOrders({ current: () => TABLE }, { ...inUse, origin: null })
  assert.equal(none.rateFor('EUR', 'USDT', AT), null)
})
