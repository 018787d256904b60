import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { after, describe, test } from 'node:test'
import { transformSync } from 'esbuild'
import { projectRoot } from '../../../test/support/project-root.js'
import { temporaryDirectory } from '../../../test/support/temporary-directory.js'
import { arrays, Bounded, builtins, constantVector, memoryBounds, type Vector } from './vector-bounds.js'

/*
 * The proof that no limb or column of key tables overflows: the source itself, without its types, runs on bounds
 * instead of numbers. `assembly/field.ts` says which bounds are loose and which are wide.
 */

const P = 2n ** 256n - 2n ** 32n - 977n
const ORDER = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n
const LIMBS = 9
const LIMB_BITS = 29n
const LOOSE = bounds(2n ** 29n + 2n ** 20n - 1n, 2n ** 24n + 2n ** 20n - 1n)
const WIDE = bounds(2n ** 31n - 1n, 2n ** 31n - 1n)
/** Where elements are put: behind all memory of the source. */
const [A, B, C, TO] = [1e6, 2e6, 3e6, 4e6] as const

function bounds(low: bigint, top: bigint): readonly bigint[] {
  return [...Array<bigint>(LIMBS - 1).fill(low), top]
}

type Operation = (...args: number[]) => void

interface Source {
  readonly field: Readonly<Record<'multiply' | 'square', Operation>>
  readonly linear: Readonly<Record<'subtract' | 'subtractWide' | 'subtractTwiceAndWide' | 'scale', Operation>>
  readonly limbs: { join(to: number, a: number, b: number, masks: Vector): void }
}

const directory = temporaryDirectory()
after(() => directory.remove())
const source = compiledSource()

/** The source as JavaScript, with the built-in functions of AssemblyScript replaced by those on bounds. */
function compiledSource(): Source {
  const assembly = join(projectRoot, 'packages/key-tables/assembly')
  for (const name of ['field', 'field-linear', 'limbs', 'order']) {
    // The decorator of AssemblyScript is no TypeScript; what it inlines is the same.
    const text = readFileSync(join(assembly, `${name}.ts`), 'utf8').replaceAll(/^ *@inline$/gm, '')
    const { code } = transformSync(text, { loader: 'ts', format: 'cjs', target: 'es2022' })
    writeFileSync(join(directory.path, `${name}.js`), code)
  }
  Object.assign(globalThis, builtins)
  const compiled = createRequire(join(directory.path, 'x.js'))
  compiled('./order.js')
  return { field: compiled('./field.js'), linear: compiled('./field-linear.js'), limbs: compiled('./limbs.js') }
}

function put(at: number, limbs: readonly bigint[]): void {
  for (const [i, max] of limbs.entries()) memoryBounds.set(at + 8 * i, Bounded.upTo(max))
}

function limbsAt(at: number): readonly bigint[] {
  return Array.from({ length: LIMBS }, (_, i) => memoryBounds.get(at + 8 * i)?.max ?? assert.fail())
}

function assertWithin(at: number, limit: readonly bigint[]): void {
  for (const [i, max] of limbsAt(at).entries()) assert.ok(max <= (limit[i] ?? 0n), `limb ${i} may be ${max}`)
}

function numberOf(limbs: readonly bigint[]): bigint {
  return limbs.reduce((sum, limb, i) => sum + (limb << (LIMB_BITS * BigInt(i))), 0n)
}

describe('the limbs of key tables', () => {
  const { field, linear, limbs } = source

  test('are loose after a product of a loose and a wide number, in either order', () => {
    for (const [a, b] of [
      [LOOSE, WIDE],
      [WIDE, LOOSE],
    ] as const) {
      put(A, a)
      put(B, b)
      field.multiply(TO, A, B)
      assertWithin(TO, LOOSE)
    }
  })

  test('are loose after a square of a loose number', () => {
    put(A, LOOSE)
    field.square(TO, A)
    assertWithin(TO, LOOSE)
  })

  test('are loose or wide after differences of loose numbers, which are never negative', () => {
    put(A, LOOSE)
    put(B, LOOSE)
    linear.subtract(TO, A, B)
    assertWithin(TO, LOOSE)
    linear.subtractWide(C, A, B)
    assertWithin(C, WIDE)
    // x1 + x2 is subtracted from a square as 2 x1 + (x2 - x1).
    linear.subtractTwiceAndWide(TO, A, B, C)
    assertWithin(TO, LOOSE)
  })

  test('are loose when a loose number is scaled by up to 4', () => {
    put(A, LOOSE)
    linear.scale(TO, A, 4)
    assertWithin(TO, LOOSE)
  })

  test('are loose when they are read from a table, negated or not', () => {
    for (let i = 0; i < 4; i += 1) for (const at of [A, B]) memoryBounds.set(at + 8 * i, Bounded.upTo(2n ** 32n - 1n))
    limbs.join(TO, A, B, constantVector(0n))
    assertWithin(TO, LOOSE)
  })

  test('of what keeps differences positive are 8 p', () => {
    const [enough] = arrays.filter(({ length }) => length === 2 * LIMBS)
    assert.ok(enough !== undefined)
    const values = enough.filter((_, i) => i % 2 === 0).map(BigInt)
    assert.deepEqual(values, enough.filter((_, i) => i % 2 === 1).map(BigInt))
    assert.equal(numberOf(values), 8n * P)
  })

  test('would overflow if they were any larger than that: the proof can fail', () => {
    const twice = LOOSE.map((limb) => 2n * limb)
    put(A, WIDE)
    put(B, WIDE)
    assert.throws(() => field.multiply(TO, A, B), /beyond 64 bits/)
    put(A, bounds(2n ** 31n, 2n ** 31n))
    assert.throws(() => field.square(TO, A), RangeError)
    put(A, LOOSE)
    put(B, twice)
    assert.throws(() => linear.subtract(TO, A, B), /may be -/)
    put(C, WIDE)
    assert.throws(() => linear.subtractTwiceAndWide(TO, A, A, C), /may be -/)
    put(A, LOOSE)
    assert.throws(() => linear.scale(TO, A, 8), RangeError)
  })

  test('need one subtraction of p at most in their canonical form', () => {
    // As `canonical` does it: what is above 2^256 folded down once, and then carries.
    const over = (WIDE[8] ?? 0n) >> 24n
    let carried = (WIDE[0] ?? 0n) + over * 977n
    for (let i = 1; i < LIMBS - 1; i += 1) {
      assert.ok(carried < 2n ** 32n)
      carried = (WIDE[i] ?? 0n) + (i === 1 ? over << 3n : 0n) + (carried >> LIMB_BITS)
    }
    const top = 2n ** 24n - 1n + (carried >> LIMB_BITS)
    assert.ok((top + 1n) << (LIMB_BITS * 8n) < 2n * P)
  })
})

describe('the columns of products modulo n', () => {
  test('stay below 2^64, and the products below 2 n', () => {
    const n = arrays.find((array) => array.length === LIMBS && numberOf(array.map(BigInt)) === ORDER)?.map(BigInt)
    assert.ok(n !== undefined)
    // Limbs of 29 bits; every step adds a_i b_j + q n_j to each column, and moves all columns down by one.
    const most = 2n ** LIMB_BITS - 1n
    let columns: readonly bigint[] = Array<bigint>(LIMBS + 1).fill(0n)
    let largest = 0n
    for (let i = 0; i < LIMBS; i += 1) {
      const full = columns.map((column, j) => column + (j < LIMBS ? most * most + most * (n[j] ?? 0n) : 0n))
      const [lowest = 0n, next = 0n, ...rest] = full
      const lowered = next + (lowest >> LIMB_BITS)
      for (const column of [...full, lowered]) if (column > largest) largest = column
      columns = [lowered, ...rest, 0n]
    }
    assert.ok(largest < 2n ** 64n, `${largest}`)
    // Montgomery: (a b + q n) / R with a and b below 2 n, q below R = 2^261.
    assert.ok((4n * ORDER * ORDER) / 2n ** 261n + ORDER < 2n * ORDER)
  })
})
