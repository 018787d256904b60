import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { dice } from '../../../test/support/dice.js'
import { compileArithmetic, type Limbs, limbsOf, numberOf } from './arithmetic.js'

/* Numbers modulo p in both lanes of the compiled code against BigInt, with limbs as large as its comments allow. */

const P = 2n ** 256n - 2n ** 32n - 977n
const LOOSE_MAX = limbs(2 ** 29 + 2 ** 20 - 1, 2 ** 24 + 2 ** 20 - 1)
const WIDE_MAX = limbs(2 ** 31 - 1, 2 ** 31 - 1)
const ROUNDS = 4000
const throwDice = dice('field')
const arithmetic = await compileArithmetic()
const { exports } = arithmetic
const TO = 7

function limbs(low: number, top: number): Limbs {
  return [...Array<number>(8).fill(low), top]
}

const looseSpecials: Limbs[] = [
  ...[0n, 1n, 2n, 976n, 977n, P - 1n, P, P + 1n, 2n ** 256n - 1n, 2n ** 256n, 2n ** 256n + 1n].map(limbsOf),
  ...[2n ** 256n + 2n ** 32n + 976n, 2n ** 256n + 2n ** 251n].map(limbsOf),
  LOOSE_MAX,
  limbs(2 ** 29 - 1, 2 ** 24 - 1),
  limbs(2 ** 29, 2 ** 24),
  limbs(2 ** 29 + 2 ** 20 - 1, 0),
  limbs(2 ** 29 + 2 ** 20 - 1, 2 ** 24 - 1),
  limbs(0, 2 ** 24 + 2 ** 20 - 1),
]
const wideSpecials: Limbs[] = [
  ...looseSpecials,
  ...[2n * P - 1n, 2n * P, 2n * P + 1n, 7n * P, 8n * P, 8n * P + 1n, 9n * P].map(limbsOf),
  WIDE_MAX,
  limbs(2 ** 31 - 1, 0),
  limbs(0, 2 ** 31 - 1),
]

/** Mostly limbs at random, often some that are as large as may be, sometimes a special number. */
function anyOf(specials: readonly Limbs[], max: Limbs): Limbs {
  const seed = throwDice()
  if (seed % 8n === 0n) return specials[Number((seed >> 8n) % BigInt(specials.length))] ?? max
  return max.map((limit, i) => {
    const kind = (seed >> BigInt(200 + 3 * i)) % 8n
    const most = i < 8 ? 2 ** 29 - 1 : 2 ** 24 - 1
    if (kind === 0n) return limit
    if (kind === 1n) return 0
    if (kind === 2n) return most
    return Number((seed >> BigInt(20 * i + 8)) % BigInt(kind === 3n ? limit + 1 : most + 1))
  })
}

const anyLoose = () => anyOf(looseSpecials, LOOSE_MAX)
const anyWide = () => anyOf(wideSpecials, WIDE_MAX)
type Lanes = [Limbs, Limbs]

function assertLanes(lanes: Lanes, expected: (lane: 0 | 1) => bigint, bound: Limbs, context: string): void {
  for (const lane of [0, 1] as const) {
    const wanted = modulo(expected(lane))
    assert.equal(modulo(numberOf(lanes[lane])), wanted, `${context}, lane ${lane}`)
    for (const [i, limit] of bound.entries())
      assert.ok((lanes[lane][i] ?? Number.NaN) <= limit, `${context}, limb ${i}`)
  }
}

function modulo(value: bigint): bigint {
  return ((value % P) + P) % P
}

function binary(operation: 'multiply' | 'subtract' | 'subtractWide', a: Lanes, b: Lanes): Lanes {
  exports[operation](arithmetic.at(TO), arithmetic.putElement(0, a), arithmetic.putElement(1, b))
  return arithmetic.element(TO)
}

function assertProducts(a: Lanes, b: Lanes): void {
  const product = (lane: 0 | 1) => numberOf(a[lane]) * numberOf(b[lane])
  const context = JSON.stringify([a, b])
  assertLanes(binary('multiply', a, b), product, LOOSE_MAX, context)
  assertLanes(binary('multiply', b, a), product, LOOSE_MAX, context)
}

function assertDifferences(a: Lanes, b: Lanes): void {
  const difference = (lane: 0 | 1) => numberOf(a[lane]) - numberOf(b[lane])
  const context = JSON.stringify([a, b])
  assertLanes(binary('subtract', a, b), difference, LOOSE_MAX, context)
  const wide = binary('subtractWide', a, b)
  assertLanes(wide, difference, WIDE_MAX, context)
  // Nothing was lost below 0: the limbs are those of a - b + 8 p.
  for (const lane of [0, 1] as const) assert.equal(numberOf(wide[lane]), difference(lane) + 8n * P, context)
}

describe('numbers modulo p', () => {
  test('are multiplied, one of them wide', () => {
    for (const a of looseSpecials) for (const b of wideSpecials) assertProducts([a, LOOSE_MAX], [b, WIDE_MAX])
    for (let i = 0; i < ROUNDS; i++) assertProducts([anyLoose(), anyLoose()], [anyWide(), anyWide()])
  })

  test('are squared', () => {
    for (let i = 0; i < ROUNDS; i++) {
      const a: Lanes = [looseSpecials[i] ?? anyLoose(), anyLoose()]
      exports.square(arithmetic.at(TO), arithmetic.putElement(0, a))
      const square = (lane: 0 | 1) => numberOf(a[lane]) ** 2n
      assertLanes(arithmetic.element(TO), square, LOOSE_MAX, JSON.stringify(a))
    }
  })

  test('are multiplied in the place of a factor', () => {
    const [a, b] = [limbsOf(throwDice() % P), limbsOf(throwDice() % P)]
    for (const to of [0, 1]) {
      exports.multiply(arithmetic.at(to), arithmetic.putElement(0, [a, b]), arithmetic.putElement(1, [b, b]))
      assertLanes(arithmetic.element(to), (lane) => numberOf(lane === 0 ? a : b) * numberOf(b), LOOSE_MAX, `to ${to}`)
    }
  })

  test('are subtracted, loose and wide', () => {
    for (const a of looseSpecials) for (const b of looseSpecials) assertDifferences([a, b], [b, LOOSE_MAX])
    for (let i = 0; i < ROUNDS; i++) assertDifferences([anyLoose(), anyLoose()], [anyLoose(), anyLoose()])
  })

  test('are subtracted twice, with a difference that is wide', () => {
    const zero = limbsOf(0n)
    const extremes = [zero, LOOSE_MAX, limbsOf(P), limbs(2 ** 29 + 2 ** 20 - 1, 0)]
    const one = (i: number) => extremes[i % extremes.length] ?? zero
    for (let i = 0; i < ROUNDS; i++) {
      const isExtreme = i < 4 ** 4
      const [a, b] = isExtreme ? [one(i), one(i >> 2)] : [anyLoose(), anyLoose()]
      const [d, e] = isExtreme ? [one(i >> 4), one(i >> 6)] : [anyLoose(), anyLoose()]
      const wide = binary('subtractWide', [d, e], [e, d])
      const [pa, pb, pc] = [[a, b], [b, a], wide].map((lanes, at) => arithmetic.putElement(at, lanes as Lanes))
      exports.subtractTwiceAndWide(arithmetic.at(TO), pa ?? 0, pb ?? 0, pc ?? 0)
      const difference = (lane: 0 | 1) =>
        lane === 0
          ? numberOf(a) - 2n * numberOf(b) - numberOf(wide[0])
          : numberOf(b) - 2n * numberOf(a) - numberOf(wide[1])
      assertLanes(arithmetic.element(TO), difference, LOOSE_MAX, JSON.stringify([a, b, d, e]))
    }
  })

  test('are scaled by up to 4', () => {
    for (let i = 0; i < ROUNDS; i++) {
      const a: Lanes = [looseSpecials[i] ?? anyLoose(), anyLoose()]
      for (const factor of [1, 2, 3, 4]) {
        exports.scale(arithmetic.at(TO), arithmetic.putElement(0, a), factor)
        const scaled = (lane: 0 | 1) => numberOf(a[lane]) * BigInt(factor)
        assertLanes(arithmetic.element(TO), scaled, LOOSE_MAX, `${factor} times ${JSON.stringify(a)}`)
      }
    }
  })

  test('have one canonical form, also those that are wide, and only that of 0 is zero', () => {
    for (let i = 0; i < ROUNDS; i++) {
      const a: Lanes = [wideSpecials[i] ?? anyWide(), i % 2 === 0 ? anyWide() : anyLoose()]
      const address = arithmetic.putElement(0, a)
      for (const lane of [0, 1] as const) {
        const wanted = modulo(numberOf(a[lane]))
        assert.deepEqual(arithmetic.number(exports.canonical(address, lane)), limbsOf(wanted), JSON.stringify(a[lane]))
        assert.equal(exports.isZero(address, lane) !== 0, wanted === 0n, JSON.stringify(a[lane]))
      }
    }
  })

  test('are known to be zero when a difference of equal ones is wide', () => {
    for (const a of looseSpecials) {
      const plusP = numberOf(a) + P
      const sameAsA = plusP < 2n ** 256n ? limbsOf(plusP) : a
      arithmetic.putElement(0, binary('subtractWide', [a, sameAsA], [sameAsA, limbsOf(1n)]))
      assert.notEqual(exports.isZero(arithmetic.at(0), 0), 0)
      assert.equal(exports.isZero(arithmetic.at(0), 1) !== 0, modulo(numberOf(a)) === 1n)
    }
  })

  test('are inverted, and 0 stays 0', () => {
    for (let i = 0; i < 100; i++) {
      const a: Lanes = [looseSpecials[i] ?? anyLoose(), looseSpecials[100 - i] ?? anyLoose()]
      exports.invert(arithmetic.at(TO), arithmetic.putElement(0, a))
      const inverse = arithmetic.element(TO)
      for (const lane of [0, 1] as const) {
        const wanted = modulo(numberOf(a[lane])) === 0n ? 0n : 1n
        assert.equal(modulo(numberOf(inverse[lane]) * numberOf(a[lane])), wanted, JSON.stringify(a[lane]))
        if (wanted === 0n) assert.equal(modulo(numberOf(inverse[lane])), 0n)
      }
    }
  })

  test('are packed into 32 bytes and joined again, negated in the lanes whose mask is set', () => {
    const specials = [0n, 1n, P - 1n, 2n ** 255n, 0x1ffffffe0000000n, (P - 1n) / 2n]
    for (let i = 0; i < ROUNDS; i++) {
      const values = [specials[i] ?? throwDice() % P, specials[i % 7] ?? throwDice() % P] as const
      for (const [place, value] of values.entries()) {
        exports.pack(arithmetic.at(place), arithmetic.putNumber(3, limbsOf(value)))
        const bytes = Buffer.from(arithmetic.bytes(place, 32)).reverse()
        assert.equal(BigInt(`0x${bytes.toString('hex')}`), value)
      }
      const isNegated = [(i & 1) !== 0, (i & 2) !== 0] as const
      const [first, second] = isNegated.map((is) => (is ? -1 : 0))
      exports.joinNegated(arithmetic.at(TO), arithmetic.at(0), arithmetic.at(1), first ?? 0, second ?? 0)
      const joined = (lane: 0 | 1) => (isNegated[lane] ? -values[lane] : values[lane])
      assertLanes(arithmetic.element(TO), joined, LOOSE_MAX, `${values}, ${isNegated}`)
    }
  })
})
