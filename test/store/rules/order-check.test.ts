import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Order } from '../../../src/domain/order.js'
import { type CheckedOption, flawsOfStanding } from '../../../src/store/rules/order-check.js'

interface Case {
  readonly what: string
  readonly order: Partial<Pick<Order, 'standing' | 'isLeaning' | 'voidedAt' | 'acceptedAt' | 'isExpiryDecided'>>
  /** Matched and unmatched tenths of each option that are confirmed, and whether it is void. */
  readonly options: readonly (readonly [matched: number, unmatched: number, isVoid?: boolean])[]
  readonly flaws: readonly RegExp[]
}

const LEANS = { isLeaning: true } as const
const PAID = { standing: 'paid' } as const
const PARTLY = { standing: 'partly' } as const

const CASES: readonly Case[] = [
  { what: 'nothing came', order: {}, options: [[0, 0]], flaws: [] },
  { what: 'what is matched makes the standing', order: PARTLY, options: [[4, 0]], flaws: [] },
  {
    what: 'it stands higher',
    order: PAID,
    options: [[4, 0]],
    flaws: [/^it stands as paid, and its invoices say partly$/, /paid, and/],
  },
  {
    what: 'it stands lower',
    order: {},
    options: [[4, 0]],
    flaws: [/^it stands as none, and its invoices say partly$/],
  },
  { what: 'what came for nobody was not judged yet', order: {}, options: [[0, 10]], flaws: [] },
  { what: 'it counts what came for nobody, and does not lean', order: PARTLY, options: [[0, 4]], flaws: [/say none$/] },
  { what: 'it leans on a part', order: { ...LEANS, ...PARTLY }, options: [[0, 4]], flaws: [] },
  { what: 'it leans, and more has come since', order: { ...LEANS, ...PARTLY }, options: [[1, 9]], flaws: [] },
  { what: 'it leans on the rest', order: { ...LEANS, ...PAID }, options: [[6, 4]], flaws: [] },
  {
    what: 'it leans on too little',
    order: { ...LEANS, ...PAID },
    options: [[5, 4]],
    flaws: [/say partly$/, /paid, and/],
  },
  { what: 'it leans on nothing', order: { ...LEANS, ...PARTLY }, options: [[5, 0]], flaws: [/there is none$/] },
  {
    what: 'it leans, and stands below what is its own',
    order: { ...LEANS },
    options: [[5, 5]],
    flaws: [/say partly to paid$/],
  },
  {
    what: 'paid, with another that can be paid',
    order: PAID,
    options: [
      [10, 0],
      [0, 0],
    ],
    flaws: [/is not void$/],
  },
  {
    what: 'paid, with another that leans and is paid',
    order: { ...LEANS, ...PAID },
    options: [
      [10, 0],
      [0, 10],
    ],
    flaws: [],
  },
  {
    what: 'paid, with another that money of nobody pays since',
    order: PAID,
    options: [
      [10, 0],
      [0, 10],
    ],
    flaws: [/is not void$/],
  },
  {
    what: 'accepted, it stands as what came',
    order: { acceptedAt: 1, ...PARTLY },
    options: [
      [4, 0],
      [0, 0],
    ],
    flaws: [],
  },
  { what: 'accepted, it stands higher', order: { acceptedAt: 1, ...PAID }, options: [[4, 0]], flaws: [/say partly$/] },
  {
    what: 'nothing is left of it',
    order: { isExpiryDecided: true },
    options: [[0, 0, true]],
    flaws: [/it is not void$/],
  },
  {
    what: 'the same with money of nobody',
    order: { isExpiryDecided: true },
    options: [[0, 10, true]],
    flaws: [/it is not void$/],
  },
  { what: 'nothing is left, and nobody has decided that', order: {}, options: [[0, 0, true]], flaws: [] },
  {
    what: 'void, with one that is alive',
    order: { voidedAt: 1 },
    options: [
      [0, 0, true],
      [0, 0],
    ],
    flaws: [/can be paid$/],
  },
  { what: 'void', order: { voidedAt: 1 }, options: [[0, 0, true]], flaws: [] },
]

for (const { what, order, options, flaws } of CASES) {
  test(`the standing of an order is checked: ${what}`, () => {
    const asked = {
      standing: 'none',
      isLeaning: false,
      voidedAt: null,
      acceptedAt: null,
      isExpiryDecided: false,
      ...order,
    }
    const found = [...flawsOfStanding(asked as Order, options.map(optionOf))]
    assert.equal(found.length, flaws.length, found.join('; '))
    for (const [i, flaw] of flaws.entries()) assert.match(found[i] ?? '', flaw)
  })
}

/** An option that asks ten. */
function optionOf([matched, unmatched, isVoid = false]: Case['options'][number]): CheckedOption {
  const own = { confirmed: BigInt(matched + unmatched), pending: 0n }
  return { portion: { amount: 10n, own, unmatched: BigInt(unmatched) }, voidedAt: isVoid ? 1 : null }
}
