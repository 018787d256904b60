import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Ending } from '../../../src/domain/voiding.js'
import { answeredLater, answeredNow } from '../../../src/store/rules/asking.js'
import { CALLBACK, callbackKinds, callbackOf } from '../../../src/store/rules/callbacks.js'
import {
  changeMatch,
  decideExpiryOf,
  type InvoiceLife,
  type MatchChange,
  reopen,
  settleIfPaid,
  voidNow,
} from '../../../src/store/rules/invoice-life.js'

const NOW = 1000

interface Row extends Ending {
  readonly id: string
  readonly confirmed: number
  readonly pending: number
}

/** An invoice over 10. */
function row(fields: Partial<Row> = {}): Row {
  return {
    id: 'a',
    confirmed: 0,
    pending: 0,
    expiresAt: null,
    voidedAt: null,
    acceptedAt: null,
    hasOutlivedExpiry: false,
    ...fields,
  }
}

/** Writes down what is ordered, in order. */
class Life implements InvoiceLife<Row> {
  readonly nowMs = NOW
  readonly done: string[] = []

  isCovered({ confirmed, pending }: Row): boolean {
    return confirmed + pending >= 10
  }
  outlivesExpiry(row: Row): boolean {
    return this.isCovered(row)
  }
  revive(): Row {
    throw new Error('nothing lives again')
  }
  isPaid({ confirmed }: Row): boolean {
    return confirmed >= 10
  }
  end(invoice: Row, ending: Ending): Row {
    this.done.push(ending.voidedAt === null ? 'outlives' : `void at ${ending.voidedAt}`)
    return { ...invoice, ...ending }
  }
  enterPaid({ id }: Row): void {
    this.done.push(`${id} among the paid`)
  }
  enterOpen({ id }: Row): void {
    this.done.push(`${id} among the open`)
  }
  log(type: string, { id }: Row): void {
    this.done.push(`${type} ${id}`)
  }
}

const due = { expiresAt: NOW }

describe('the life of an invoice', () => {
  const settled: readonly [string, Partial<Row>, string, readonly string[]][] = [
    ['nothing was received', {}, 'open', []],
    ['too little was confirmed', { confirmed: 9, pending: 5 }, 'open', []],
    [
      'it was paid by deposits that were meant for others',
      { confirmed: 10 },
      'paid',
      ['a among the paid', 'invoice.paid a'],
    ],
    ['its expiry is due', due, 'void', [`void at ${NOW}`, 'invoice.expired a']],
    ['its expiry was due earlier', { expiresAt: NOW - 7 }, 'void', [`void at ${NOW - 7}`, 'invoice.expired a']],
    ['its expiry is not due', { expiresAt: NOW + 1 }, 'open', []],
    ['it was being paid when it was to expire', { ...due, pending: 10 }, 'open', ['outlives']],
    [
      'it was paid when it was to expire',
      { ...due, confirmed: 10 },
      'paid',
      ['outlives', 'a among the paid', 'invoice.paid a'],
    ],
    ['it has outlived its expiry', { ...due, hasOutlivedExpiry: true }, 'open', []],
    ['it is void', { ...due, voidedAt: 5, confirmed: 10 }, 'void', []],
  ]
  for (const [when, fields, standing, done] of settled) {
    test(`is ${standing} when ${when}`, () => {
      const life = new Life()
      assert.equal(settleIfPaid(life, row(fields)), standing)
      assert.deepEqual(life.done, done)
    })
  }

  test('has its expiry decided once', () => {
    const life = new Life()
    const gone = decideExpiryOf(life, row(due))
    assert.equal(gone.voidedAt, NOW)
    assert.equal(decideExpiryOf(life, gone), gone)
    const stays = decideExpiryOf(life, row({ ...due, pending: 10 }))
    assert.equal(stays.hasOutlivedExpiry, true)
    assert.equal(decideExpiryOf(life, stays), stays)
    assert.deepEqual(life.done, [`void at ${NOW}`, 'invoice.expired a', 'outlives'])
  })

  test('ends when its owner voids it', () => {
    const life = new Life()
    assert.equal(voidNow(life, row({ expiresAt: NOW + 5 })).voidedAt, NOW)
    assert.deepEqual(life.done, [`void at ${NOW}`, 'invoice.voided a'])
  })
})

describe('a confirmed deposit that leaves its account', () => {
  const paid = [row({ id: 'short', confirmed: 9 }), row({ id: 'covered', confirmed: 10 }), row({ id: 'bare' })]

  /** What was asked, and what was done. */
  function reopened(greatest: bigint | null, covered: number | null) {
    const life = new Life()
    const account = {
      greatest: () => greatest,
      confirmedAfter: (timeMs: number) => (covered !== null && timeMs <= covered ? 10n : 9n),
      between: (fromMs: number, beforeMs: number) => {
        life.done.push(`from ${fromMs} to ${beforeMs}`)
        return paid
      },
    }
    return { life, account }
  }

  const opened = ['short among the open', 'invoice.unpaid short', 'bare among the open', 'invoice.unpaid bare']

  test('opens the invoices again that it had paid', () => {
    const { life, account } = reopened(10n, 500)
    answeredNow(reopen(life, account, 900))
    assert.deepEqual(life.done, ['from 501 to 900', ...opened])
  })

  test('may have paid every invoice before it', () => {
    const { life, account } = reopened(10n, null)
    answeredNow(reopen(life, account, 900))
    assert.deepEqual(life.done, ['from 0 to 900', ...opened])
  })

  test('opens nothing where nothing was ever paid', () => {
    const { life, account } = reopened(null, null)
    answeredNow(reopen(life, account, 900))
    assert.deepEqual(life.done, [])
  })

  test('does the same on an engine that answers later', async () => {
    const { life, account } = reopened(10n, 500)
    const later = {
      greatest: async () => account.greatest(),
      confirmedAfter: async (timeMs: number) => account.confirmedAfter(timeMs),
      between: async (fromMs: number, beforeMs: number) => account.between(fromMs, beforeMs),
    }
    await answeredLater(reopen(life, later, 900))
    assert.deepEqual(life.done, ['from 501 to 900', ...opened])
  })
})

describe('the matches of an invoice', () => {
  function counting(count: number) {
    const marks: boolean[] = []
    const matches = {
      change: (_: string, by: MatchChange) => {
        const before = count
        count += by.matches
        return before
      },
      mark: (_: string, isMatched: boolean) => void marks.push(isMatched),
    }
    return { matches, marks }
  }

  test('mark it with the first one and with the last one given back', () => {
    const { matches, marks } = counting(0)
    const change = (by: number) => changeMatch(matches, 'a', { matches: by, seen: 0n, confirmed: 0n })
    change(1)
    assert.deepEqual(marks, [true])
    change(1)
    change(-1)
    assert.deepEqual(marks, [true])
    // What is matched is confirmed.
    change(0)
    assert.deepEqual(marks, [true])
    change(-1)
    assert.deepEqual(marks, [true, false])
    assert.throws(() => change(-1), /no match to give back/)
  })

  test('are looked for among those that can be notified first', () => {
    const url = 'https://shop.example/hook'
    assert.equal(callbackOf({ reference: null, callback_url: url }), CALLBACK.none)
    assert.equal(callbackOf({ reference: 'r', callback_url: url }), CALLBACK.own)
    assert.equal(callbackOf({ reference: 'r', callback_url: null }), CALLBACK.default)
    assert.deepEqual(callbackKinds(true), [[CALLBACK.own, CALLBACK.default], [CALLBACK.none]])
    assert.deepEqual(callbackKinds(false), [[CALLBACK.own], [CALLBACK.none, CALLBACK.default]])
  })
})
