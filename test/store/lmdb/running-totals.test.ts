import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import fc from 'fast-check'
import {
  type Account,
  accountOf,
  addToTotals,
  changesOf,
  removeFromTotals,
  totalAfter,
  totalUntil,
} from '../../../src/store/lmdb/payments/running-totals.js'
import { CURRENCIES_MAX, type CurrencyNo } from '../../../src/store/lmdb/tables/currencies.js'
import type { AddressNo, DepositNo } from '../../../src/store/lmdb/tables/keys.js'
import { type Environment, openEnvironment, openTables, type Table } from '../../../src/store/lmdb/tables/tables.js'
import { answeredNow } from '../../../src/store/rules/asking.js'
import { lastToReceive } from '../../../src/store/rules/last-to-receive.js'
import { receivedSince } from '../../support/received-since.js'
import { type TemporaryDirectory, temporaryDirectory } from '../../support/temporary-directory.js'

const TIME_MAX = 2 ** 48 - 1
/** The last one that there can be, too. */
const CURRENCY_NOS = [0, 1, CURRENCIES_MAX - 1] as CurrencyNo[]
const [NATIVE_NO = assert.fail(), USDT_NO = assert.fail()] = CURRENCY_NOS
const addressNo = (no: number) => no as AddressNo
const depositNo = (no: number) => no as DepositNo
const ABORT_ALL = new Error('undo')

interface Counted {
  readonly no: DepositNo
  readonly receivedAt: number
  readonly amount: bigint
}

function entry({ no, receivedAt, amount }: Counted) {
  return { no, receivedAt, atoms: amount }
}

describe('running totals', () => {
  let directory: TemporaryDirectory
  let root: Environment
  let table: Table

  before(() => {
    directory = temporaryDirectory()
    root = openEnvironment(directory.path)
    table = openTables(root).confirmedTotals
  })
  after(async () => {
    await root.close()
    directory.remove()
  })

  /** Runs in a transaction of which nothing is kept. */
  function undone(work: () => void): void {
    try {
      root.transactionSync(() => {
        work()
        throw ABORT_ALL
      })
    } catch (error) {
      if (error !== ABORT_ALL) throw error
    }
  }

  function assertSums(account: Account, deposits: readonly Counted[], times: Iterable<number>): void {
    const counted = deposits.map((one) => ({ ...one, kind: 'confirmed' as const }))
    const total = receivedSince(-1, counted).confirmed
    assert.equal(totalUntil(table, account, TIME_MAX), total)
    for (const time of times) {
      const since = receivedSince(time, counted).confirmed
      assert.equal(totalAfter(table, account, time), since, `after ${time}`)
      assert.equal(totalUntil(table, account, time), total - since, `until ${time}`)
    }
  }

  const account = fc.record({
    addressNo: fc.constantFrom(...[1, 2, 255, 256].map(addressNo)),
    currency: fc.constantFrom(...CURRENCY_NOS),
  })
  const operation = fc.record({
    account,
    isAdded: fc.boolean(),
    receivedAt: fc.oneof(fc.integer({ min: 1, max: 12 }), fc.constantFrom(1, TIME_MAX, TIME_MAX - 1)),
    amount: fc.bigInt({ min: 1n, max: 2n ** 256n }),
    pick: fc.nat(),
  })

  test('are the naive sums, whatever came out of order or left, of every account apart', () => {
    fc.assert(
      fc.property(fc.array(operation, { maxLength: 40, size: 'max' }), (operations) => {
        undone(() => {
          const kept = new Map<string, { readonly account: Account; readonly deposits: Counted[]; changes: number }>()
          for (const [i, one] of operations.entries()) {
            const key = accountOf(one.account.addressNo, one.account.currency)
            const known = kept.get(key.toString('hex')) ?? { account: key, deposits: [], changes: 0 }
            kept.set(key.toString('hex'), known)
            known.changes += 1
            const { deposits } = known
            if (one.isAdded || deposits.length === 0) {
              deposits.push({ no: depositNo(i), receivedAt: one.receivedAt, amount: one.amount })
              addToTotals(table, key, entry({ ...one, no: depositNo(i) }))
            } else {
              const [gone] = deposits.splice(one.pick % deposits.length, 1)
              assert.ok(gone !== undefined)
              removeFromTotals(table, key, entry(gone))
            }
          }
          const times = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, TIME_MAX - 2, TIME_MAX - 1, TIME_MAX]
          for (const { account, deposits, changes } of kept.values()) {
            assertSums(account, deposits, times)
            assert.equal(changesOf(table, account), changes)
          }
        })
      }),
    )
  })

  test('know the last moment after which enough came in', () => {
    const deposit = fc.record({ receivedAt: fc.integer({ min: 1, max: 12 }), amount: fc.bigInt({ min: 1n, max: 5n }) })
    fc.assert(
      fc.property(
        fc.array(deposit, { maxLength: 25 }),
        fc.bigInt({ min: 1n, max: 30n }),
        fc.integer({ min: 1, max: 14 }),
        (deposits, atoms, beforeMs) => {
          undone(() => {
            const account = accountOf(addressNo(2), USDT_NO)
            for (const [i, { receivedAt, amount }] of deposits.entries()) {
              addToTotals(table, account, { receivedAt, no: depositNo(i), atoms: amount })
            }
            const counted = deposits.map((one) => ({ ...one, kind: 'confirmed' as const }))
            const isEnough = (time: number) => receivedSince(time, counted).confirmed >= atoms
            const enough = Array.from({ length: beforeMs }, (_, time) => time).filter(isEnough)
            const last = lastToReceive((timeMs) => totalAfter(table, account, timeMs), atoms, beforeMs)
            assert.equal(answeredNow(last), enough.at(-1) ?? null)
          })
        },
      ),
    )
  })

  test('stay right behind a deposit that arrives before, or leaves from before, thousands of others', () => {
    undone(() => {
      const key = accountOf(addressNo(7), NATIVE_NO)
      const deposits: Counted[] = []
      for (let i = 0; i < 3000; i += 1)
        deposits.push({ no: depositNo(i), receivedAt: 100 + Math.floor(i / 2), amount: BigInt(i + 1) })
      for (const one of deposits) addToTotals(table, key, entry(one))
      const early: Counted = { no: depositNo(5000), receivedAt: 50, amount: 10n ** 60n }
      addToTotals(table, key, entry(early))
      const times = [0, 49, 50, 51, 99, 100, 101, 600, 611, 612, 1123, 1124, 1598, 1599, 1600]
      assertSums(key, [...deposits, early], times)
      removeFromTotals(table, key, entry(early))
      assertSums(key, deposits, times)
      const [first] = deposits.splice(0, 1)
      assert.ok(first !== undefined)
      removeFromTotals(table, key, entry(first))
      assertSums(key, deposits, times)
    })
  })

  test('refuse to lose a deposit that they do not have', () => {
    undone(() => {
      assert.throws(
        () =>
          removeFromTotals(table, accountOf(addressNo(9), NATIVE_NO), { receivedAt: 5, no: depositNo(5), atoms: 5n }),
        /missing from its running total/,
      )
    })
  })
})
