import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { BillhookEvent } from '@billhook/client'
import {
  counted,
  dateOf,
  EMPTY_TALLY,
  lastDates,
  receivedOn,
  recent,
  type Tally,
} from '../../packages/app/src/events/day-totals.js'

const TOKEN = { symbol: 'USDT', contract: null, decimals: 6 }
const NETWORK = { id: 'SEP', name: 'Sepolia', symbol: 'ETH', token: null, decimals: 6, claim: 'sep/eth', testnet: true }
const INFO = { networks: [{ ...NETWORK, tokens: [TOKEN] }] }
const NOON = new Date(2026, 10, 27, 12).getTime()
const DAY_MS = 86_400_000

function deposit(
  type: 'confirmed' | 'pending' | 'dropped',
  txHash: string,
  amount: string,
  more: object = {},
): BillhookEvent {
  const about = {
    network: 'SEP',
    txHash,
    index: 0,
    toAddress: '0xa',
    currency: 'Tether',
    amount,
    receivedAt: NOON,
    ...more,
  }
  return { id: txHash, type: `deposit.${type}`, at: NOON, invoiceId: null, deposit: about } as unknown as BillhookEvent
}

function tallyOf(...events: readonly BillhookEvent[]): Tally {
  return events.reduce((tally, event) => counted(tally, event, INFO), EMPTY_TALLY)
}

const today = (tally: Tally) => receivedOn(tally.days, [dateOf(NOON)])

describe('what came on a day', () => {
  test('is the exact sum of confirmed deposits, by coin', () => {
    const native = { currency: '#native' }
    const tally = tallyOf(
      deposit('pending', 'a', '100000'),
      deposit('confirmed', 'a', '100000'),
      deposit('confirmed', 'b', '200000'),
      deposit('confirmed', 'c', '0.000000000000000001', native),
      deposit('confirmed', 'd', '2', native),
    )
    assert.deepEqual(today(tally), { USDT: '0.3', ETH: '2.000000000000000001' })
  })

  test('loses what a network takes back, and nothing for what was not confirmed', () => {
    const tally = tallyOf(deposit('confirmed', 'a', '5000000'), deposit('dropped', 'b', '5000000'))
    assert.deepEqual(today(tally), { USDT: '5' })
    const back = counted(tally, deposit('dropped', 'a', '5000000'), INFO)
    assert.deepEqual(today(back), { USDT: '0' })
    assert.deepEqual(today(counted(back, deposit('confirmed', 'a', '5000000'), INFO)), { USDT: '5' })
  })

  test('counts a deposit once, whatever is reported again', () => {
    assert.deepEqual(today(tallyOf(deposit('confirmed', 'a', '1000000'), deposit('confirmed', 'a', '1000000'))), {
      USDT: '1',
    })
  })

  test('has nothing of coins and networks that nobody knows', () => {
    const strange = [{ currency: 'FAKE' }, { network: 'GONE' }]
    assert.deepEqual(today(tallyOf(...strange.map((more, index) => deposit('confirmed', `x${index}`, '1', more)))), {})
  })

  test('remembers a bounded number of deposits', () => {
    const many = Array.from({ length: 600 }, (_, index) => deposit('confirmed', String(index), '1000000'))
    const tally = tallyOf(...many)
    assert.deepEqual([today(tally).USDT, tally.confirmed.length], ['600', 500])
  })

  test('counts webhooks that failed', () => {
    const failed = { id: 'f', type: 'delivery.failed', at: NOON, deposit: null } as unknown as BillhookEvent
    assert.equal(tallyOf(failed, failed).days[dateOf(NOON)]?.failed, 2)
  })

  test('is forgotten when it is of no interest', () => {
    const old = { ...deposit('confirmed', 'a', '1000000'), at: NOON - 40 * DAY_MS } as BillhookEvent
    const tally = tallyOf(old, deposit('confirmed', 'b', '1000000'))
    assert.deepEqual(Object.keys(recent(tally, NOON).days), [dateOf(NOON)])
  })
})

test('the last days are each there once, also when clocks are changed', () => {
  for (const now of [NOON, new Date(2026, 2, 30, 0, 30).getTime(), new Date(2026, 9, 25, 23, 30).getTime()]) {
    const dates = lastDates(30, now)
    assert.deepEqual([new Set(dates).size, dates.at(-1)], [30, dateOf(now)])
  }
})
