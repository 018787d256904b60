import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { amountName } from '../../../../src/store/postgres/commands/names.js'
import { amountsAsked, type RaisedPlace } from '../../../../src/store/postgres/commands/raised-steps.js'
import type { Fragment } from '../../../../src/store/postgres/connection/sql.js'
import type { Work } from '../../../../src/store/postgres/connection/work.js'

const OWNER = 'owner'
const AMOUNT = 1_000_000n
const UNIT = 10n

function placeOf(given: Partial<RaisedPlace> = {}): RaisedPlace {
  return {
    option: 0,
    walletId: 'wallet-1',
    owner: OWNER,
    currency: 'USDT',
    amount: AMOUNT,
    unit: UNIT,
    highest: AMOUNT + 1000n * UNIT,
    steps: 1000,
    others: 0,
    ...given,
  }
}

/** The steps that are read of each place, where unpaid invoices ask some; and the names that are answered. */
async function climb(orders: readonly (readonly RaisedPlace[])[], asked: Readonly<Record<string, readonly number[]>>) {
  const read: (readonly number[])[] = []
  const rows = async ({ values }: Fragment) => {
    // The last question is which of those that were met are gone: none.
    if (values.length < 8) return []
    const [places, walletIds, , , , , steps, from] = values as unknown as [
      number[],
      string[],
      [],
      [],
      [],
      [],
      number[],
      number,
    ]
    read.push(steps.map((to) => Math.max(0, to - from + 1)))
    return places.flatMap((place) => {
      const wallet_id = walletIds[place] ?? ''
      const met = (asked[wallet_id] ?? []).filter((step) => step >= from && step <= (steps[place] ?? 0))
      return met.map((step) => ({
        ...{ place, step, invoice_id: `${wallet_id} ${step}`, wallet_id, owner: OWNER, currency: 'USDT' },
        atoms: AMOUNT + BigInt(step) * UNIT,
      }))
    })
  }
  const names = await amountsAsked({ rows, nowMs: 0 } as unknown as Work, orders)
  return { read, names }
}

const upTo = (last: number) => Array.from({ length: last }, (_, i) => i + 1)

describe('the steps that are read for amounts which may have to be raised', () => {
  const place = placeOf()
  const cases: readonly [string, readonly RaisedPlace[], Readonly<Record<string, readonly number[]>>, number[][]][] = [
    ['the first ones where one of them is free', [place], { 'wallet-1': upTo(63) }, [[64]]],
    ['more where none is', [place], { 'wallet-1': upTo(64) }, [[64], [192]]],
    ['all in the end', [place], { 'wallet-1': upTo(1000) }, [[64], [192], [744]]],
    [
      'no more than the amount may be raised',
      [placeOf({ highest: AMOUNT + 30n * UNIT })],
      { 'wallet-1': upTo(30) },
      [[30]],
    ],
    ['no more than the order shares', [placeOf({ steps: 70 })], { 'wallet-1': upTo(70) }, [[64], [6]]],
    ['more where the batch may ask the rest', [placeOf({ others: 4 })], { 'wallet-1': upTo(60) }, [[64], [192]]],
    ['none more where it may not', [placeOf({ others: 3 })], { 'wallet-1': upTo(60) }, [[64]]],
    [
      'more where the wallets of an option ask all of them together',
      [place, placeOf({ walletId: 'wallet-2' })],
      { 'wallet-1': upTo(32), 'wallet-2': upTo(64).slice(32) },
      [
        [64, 64],
        [192, 192],
      ],
    ],
    [
      'no more where each option has a free one',
      [place, placeOf({ walletId: 'wallet-2', option: 1 })],
      { 'wallet-1': upTo(32), 'wallet-2': upTo(31) },
      [[64, 64]],
    ],
  ]
  for (const [name, places, asked, expected] of cases) {
    test(name, async () => assert.deepEqual((await climb([places], asked)).read, expected))
  }

  test('are read in one statement for all orders, and further only for those that need it', async () => {
    const orders = [[place], [placeOf({ walletId: 'wallet-2' })]]
    const { read, names } = await climb(orders, { 'wallet-1': [1], 'wallet-2': upTo(65) })
    assert.deepEqual(read, [[64, 64], [192]])
    const nameOf = (walletId: string, step: number) => amountName(walletId, OWNER, 'USDT', AMOUNT + BigInt(step) * UNIT)
    assert.deepEqual(names, [nameOf('wallet-1', 1), ...upTo(65).map((step) => nameOf('wallet-2', step))])
  })
})
