import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { dice } from '../../../test/support/dice.js'
import { ORDER } from '../../../test/support/signing.js'
import { compileArithmetic, limbsOf, numberOf } from './arithmetic.js'

/* Numbers modulo n of the compiled code against BigInt. */

const R = 2n ** 261n
const ROUNDS = 4000
const throwDice = dice('order')
const arithmetic = await compileArithmetic()
const { exports } = arithmetic
const TO = 7

/** Below 2 n, as all products are. */
const specials = [
  ...[
    0n,
    1n,
    2n,
    2n ** 29n - 1n,
    2n ** 232n - 1n,
    2n ** 255n,
    ORDER - 2n,
    ORDER - 1n,
    ORDER,
    ORDER + 1n,
    2n ** 256n - 1n,
  ],
  ...[2n ** 256n, 2n * ORDER - 2n, 2n * ORDER - 1n, R % ORDER, R ** 2n % ORDER],
]
const below2N = (i: number) => specials[i] ?? (throwDice() * 2n) % (2n * ORDER)

function modulo(value: bigint): bigint {
  return ((value % ORDER) + ORDER) % ORDER
}

/** What a function left, which must be limbs of 29 bits and less than 2 n. */
function result(): bigint {
  const limbs = arithmetic.number(arithmetic.at(TO))
  const value = numberOf(limbs)
  assert.deepEqual(limbs, limbsOf(value))
  assert.ok(value < 2n * ORDER)
  return value
}

function put(place: number, value: bigint): number {
  return arithmetic.putNumber(place, limbsOf(value))
}

describe('numbers modulo n', () => {
  test('are known to be in range from 1 to n - 1', () => {
    const cases = [0n, 1n, 2n ** 255n, ORDER - 1n, ORDER, ORDER + 1n, 2n ** 256n - 1n]
    for (const value of [...cases, ...Array.from({ length: ROUNDS }, throwDice)]) {
      arithmetic.bytes(0, 32).write(value.toString(16).padStart(64, '0'), 'hex')
      assert.equal(exports.isScalar(arithmetic.at(0)) !== 0, value > 0n && value < ORDER, `${value}`)
    }
  })

  test('are multiplied in the form of Montgomery', () => {
    const assertProduct = (a: bigint, b: bigint) => {
      exports.multiplyScalars(arithmetic.at(TO), put(0, a), put(1, b))
      assert.equal(modulo(result() * R), modulo(a * b), `${a} ${b}`)
    }
    for (const a of specials) for (const b of specials) assertProduct(a, b)
    for (let i = 0; i < ROUNDS; i++) assertProduct(below2N(-1), below2N(-1))
  })

  test('are brought into that form', () => {
    for (let i = 0; i < ROUNDS; i++) {
      const a = below2N(i)
      exports.toMontgomery(arithmetic.at(TO), put(0, a))
      assert.equal(modulo(result()), modulo(a * R), `${a}`)
    }
  })

  test('are inverted in that form, and 0 stays 0', () => {
    for (let i = 0; i < 200; i++) {
      const a = below2N(i)
      exports.invertScalar(arithmetic.at(TO), put(0, a))
      assert.equal(modulo(result() * a), modulo(a) === 0n ? 0n : modulo(R * R), `${a}`)
    }
  })

  test('are reduced from below 2 n to below n', () => {
    for (let i = 0; i < ROUNDS; i++) {
      const a = below2N(i)
      exports.reduceOnce(put(TO, a))
      assert.equal(result(), modulo(a), `${a}`)
    }
  })

  test('are negated; 0 becomes n, which is odd', () => {
    for (let i = 0; i < ROUNDS; i++) {
      const a = modulo(below2N(i))
      exports.negate(put(TO, a))
      assert.equal(result(), ORDER - a, `${a}`)
    }
  })

  test('are read from 32 bytes, whatever these are', () => {
    for (let i = 0; i < ROUNDS; i++) {
      const a = [0n, 1n, ORDER, 2n ** 256n - 1n][i] ?? throwDice()
      arithmetic.bytes(0, 32).write(a.toString(16).padStart(64, '0'), 'hex')
      exports.readBytes(arithmetic.at(TO), arithmetic.at(0))
      assert.equal(result(), a)
    }
  })
})
