import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { chooseEngine } from '../../../src/verify/engine-choice.js'
import { compileKeyTables, KeyTables, type TableVerdict } from '../../../src/verify/key-tables.js'
import { type ChosenSignature, chooseSignature, inverse, modulo } from '../../../test/support/chosen-signature.js'
import { dice } from '../../../test/support/dice.js'
import { ORDER } from '../../../test/support/signing.js'
import { additionsOf, digitsOf, G_WIDTH, KEY_WIDTH, summandsOf } from '../../../test/support/table-digits.js'

/* Two equal or opposite points cannot be added by the formula of the tables, which must notice wherever it happens. */

const { engine } = await chooseEngine('auto')
const BATCH = 64
const code = await compileKeyTables()
const tables = new KeyTables(code, BATCH)
const throwDice = dice('undecided')

interface Case {
  readonly chosen: ChosenSignature
  readonly expected: TableVerdict
  readonly name: string
  /** Whether the engine finds it valid. */
  readonly isValid: boolean
}

function verify(cases: readonly Case[]): readonly TableVerdict[] {
  for (const [table, { chosen }] of cases.entries()) tables.setKey(table, engine.uncompress(chosen.publicKey))
  for (const [table, { chosen }] of cases.entries()) tables.add(chosen.compact, chosen.digest, table)
  return tables.verify()
}

/** Verifies the cases in batches of `size`; what is undecided must not show in the next batch. */
function assertCases(cases: readonly Case[], size: number): void {
  for (let start = 0; start < cases.length; start += size) {
    const batch = cases.slice(start, start + size)
    const verdicts = verify(batch)
    assert.equal(verdicts.length, batch.length)
    for (const [i, { expected, name, chosen, isValid }] of batch.entries()) {
      assert.equal(verdicts[i], expected, `${name}, place ${i} of ${batch.length}`)
      assert.equal(engine.verify(chosen.der, chosen.digest, chosen.publicKey), isValid, name)
    }
    const next = ordinary.slice(0, batch.length)
    assert.deepEqual(
      verify(next),
      next.map(({ expected }) => expected),
    )
  }
}

function scalar(): bigint {
  return (throwDice() % (ORDER - 1n)) + 1n
}

/** Valid or forged, of a key of its own. */
function ordinaryCase(i: number): Case {
  const chosen = chooseSignature(scalar(), scalar(), scalar())
  const isValid = i % 3 !== 0
  if (!isValid) chosen.digest[31] = (chosen.digest[31] ?? 0) ^ 1
  return { chosen, expected: isValid ? 'valid' : 'invalid', isValid, name: `ordinary ${i}` }
}

const ordinary = Array.from({ length: BATCH }, (_, i) => ordinaryCase(i))

/** A scalar whose digit in a row is the wanted one, odd or even as wanted. */
function withDigit(row: number, width: number, digit: bigint, parity: bigint): bigint {
  for (;;) {
    const shift = BigInt(row * width)
    const bits = BigInt(width) + 1n
    // For an even scalar n - u is cut into digits, and each is negated.
    const inRow = (parity === 1n ? digit : -digit) + 2n ** BigInt(width)
    const random = throwDice() % ORDER
    const odd = (random - (((random >> shift) % 2n ** bits) << shift) + (inRow << shift)) | 1n
    const u = parity === 1n ? odd : ORDER - odd
    if (u > 0n && u < ORDER && digitsOf(u, width)[row] === digit) return u
  }
}

/** Row 7 of this key's table, of width 7, has the points of row 0 of the generator's table: 2^49 d = 1. */
const SECRET_LIKE_G = inverse(2n ** 49n)

function likeG(a: bigint, b: bigint, parities: number): Case {
  const u1 = withDigit(0, G_WIDTH, a, BigInt(parities & 1))
  const u2 = withDigit(7, KEY_WIDTH, b, BigInt(parities >> 1))
  const expected = a === b || a === -b ? 'undecided' : 'valid'
  const name = `digits ${a} and ${b}, parities ${parities}`
  return { chosen: chooseSignature(SECRET_LIKE_G, u1, u2), expected, isValid: true, name }
}

describe('tables of keys leave to the engine', () => {
  test('exactly the signatures for which two digits name the same point, or opposite ones', () => {
    const cases: Case[] = []
    for (const a of [1n, 3n, 63n, 125n, 127n]) {
      for (const b of [a, -a, a === 127n ? 125n : a + 2n, a - 2n]) {
        for (const sign of [1n, -1n]) {
          for (const parities of [0, 1, 2, 3]) cases.push(likeG(sign * a, sign * b, parities))
        }
      }
    }
    for (const parities of [0, 1, 2, 3]) cases.push(likeG(1021n, 127n, parities), likeG(-2047n, -127n, parities))
    const undecided = cases.filter(({ expected }) => expected === 'undecided')
    assert.ok(undecided.length > cases.length / 3 && undecided.length < cases.length)
    for (const size of [1, 2, 7, BATCH]) assertCases(cases, size)
  })

  /** The key for which two sides of an addition are the same point (or opposite): a + b d = ± (a' + b' d). */
  function colliding(addition: number, sign: 1n | -1n): Case {
    for (;;) {
      const [u1, u2] = [scalar(), scalar()]
      const [first, second] = additionsOf(u1, u2)[addition] ?? assert.fail()
      const divisor = modulo(first.p - sign * second.p)
      if (divisor === 0n) continue
      const secret = modulo((sign * second.g - first.g) * inverse(divisor))
      if (secret === 0n) continue
      // The last addition is the whole sum, so that opposite points are no point.
      const isPoint = modulo(u1 + u2 * secret) !== 0n
      const name = `addition ${addition}, ${sign === 1n ? 'equal' : 'opposite'}`
      return { chosen: chooseSignature(secret, u1, u2), expected: 'undecided', isValid: isPoint, name }
    }
  }

  test('coincidences in each of the sixty additions, among signatures that they judge', () => {
    const [u1, u2] = [scalar(), scalar()]
    const summed = summandsOf(u1, u2).reduce((sum, { g, p }) => ({ g: sum.g + g, p: sum.p + p }))
    assert.deepEqual([modulo(summed.g), modulo(summed.p)], [u1, u2])
    const additions = additionsOf(u1, u2).length
    assert.equal(additions, 60)
    const cases: Case[] = []
    // A summand of the key's table and another of it cannot be equal, whatever the key.
    for (let addition = 0; addition < additions; addition++) {
      const isOfTwoKeyRows = addition >= 24 && addition < 30
      for (const sign of [1n, -1n] as const) {
        cases.push(isOfTwoKeyRows ? ordinaryCase(addition) : colliding(addition, sign), ordinaryCase(addition))
      }
    }
    assert.equal(cases.filter(({ isValid, expected }) => expected === 'undecided' && !isValid).length, 1)
    for (const size of [1, 3, BATCH]) assertCases(cases, size)
  })

  test('a sum that is no point', () => {
    const cases = Array.from({ length: 9 }, (_, i): Case => {
      if (i % 2 === 1) return ordinaryCase(i)
      const [secret, u2] = [scalar(), scalar()]
      const chosen = chooseSignature(secret, modulo(-u2 * secret), u2)
      return { chosen, expected: 'undecided', isValid: false, name: `no point ${i}` }
    })
    assertCases(cases, cases.length)
  })
})
