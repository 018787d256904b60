/**
 * Numbers modulo n, the order of the group (SEC 2, 2.4.1): nine limbs of 29 bits, a u32 each, the least first. Products are
 * Montgomery's with R = 2^261: `multiply(a, b)` is a b / R. Results are below 2 n unless said otherwise.
 */

import { LIMB_BITS, LIMBS } from './field'
import { isBelow, subtractLimbs } from './limbs'

/** Bytes of a number. */
export const SCALAR: usize = 36

export const N = memory.data<u32>([
  0x10364141, 0x1e92f466, 0x12280eef, 0x1db9cd5e, 0x1fffebaa, 0x1fffffff, 0x1fffffff, 0x1fffffff, 0xffffff,
])
/** R^2 modulo n: a product with it is R times the other factor. */
const R_SQUARED = memory.data<u32>([
  0x9f6ab4b, 0x1f300d1e, 0x1c0bd5d8, 0xc8ada8c, 0x11cefa2b, 0x8b79a0f, 0x1e697f5e, 0xe34de2, 0x9c7356,
])
/** -1 / n modulo 2^29. */
const MINUS_INVERSE: u64 = 0x1588b13f
const MASK: u64 = 0x1fffffff

/** to = a b / R. */
export function multiply(to: usize, a: usize, b: usize): void {
  const b0 = <u64>load<u32>(b)
  const b1 = <u64>load<u32>(b, 4)
  const b2 = <u64>load<u32>(b, 8)
  const b3 = <u64>load<u32>(b, 12)
  const b4 = <u64>load<u32>(b, 16)
  const b5 = <u64>load<u32>(b, 20)
  const b6 = <u64>load<u32>(b, 24)
  const b7 = <u64>load<u32>(b, 28)
  const b8 = <u64>load<u32>(b, 32)
  let t0: u64 = 0
  let t1: u64 = 0
  let t2: u64 = 0
  let t3: u64 = 0
  let t4: u64 = 0
  let t5: u64 = 0
  let t6: u64 = 0
  let t7: u64 = 0
  let t8: u64 = 0
  // Each column gathers at most eighteen products of 58 bits before it leaves, which is less than 2^63.
  for (let i: usize = 0; i < LIMBS; i++) {
    const ai = <u64>load<u32>(a + (i << 2))
    t0 += ai * b0
    const q = (t0 * MINUS_INVERSE) & MASK
    t0 = ((t0 + q * 0x10364141) >> LIMB_BITS) + t1 + ai * b1 + q * 0x1e92f466
    t1 = t2 + ai * b2 + q * 0x12280eef
    t2 = t3 + ai * b3 + q * 0x1db9cd5e
    t3 = t4 + ai * b4 + q * 0x1fffebaa
    t4 = t5 + ai * b5 + q * 0x1fffffff
    t5 = t6 + ai * b6 + q * 0x1fffffff
    t6 = t7 + ai * b7 + q * 0x1fffffff
    t7 = t8 + ai * b8 + q * 0xffffff
    t8 = 0
  }
  t1 += storeLimb(to, t0)
  t2 += storeLimb(to + 4, t1)
  t3 += storeLimb(to + 8, t2)
  t4 += storeLimb(to + 12, t3)
  t5 += storeLimb(to + 16, t4)
  t6 += storeLimb(to + 20, t5)
  t7 += storeLimb(to + 24, t6)
  store<u32>(to, <u32>storeLimb(to + 28, t7), 32)
}

/** Stores the 29 bits of a column that are a limb, and returns its carry to the next. */
function storeLimb(to: usize, column: u64): u64 {
  store<u32>(to, <u32>(column & MASK))
  return column >> LIMB_BITS
}

/** to = a R. */
export function toMontgomery(to: usize, a: usize): void {
  multiply(to, a, R_SQUARED)
}

/** Makes a number below 2 n one below n. */
export function reduceOnce(a: usize): void {
  if (!isBelow(a, N)) subtractLimbs(a, a, N)
}

const CHECKED = memory.data(36)

/** Whether 32 bytes, big-endian, are a number from 1 to n - 1. */
export function isScalar(from: usize): bool {
  readBytes(CHECKED, from)
  if (!isBelow(CHECKED, N)) return false
  for (let i: usize = 0; i < LIMBS; i++) if (load<u32>(CHECKED + (i << 2)) !== 0) return true
  return false
}

/** a = n - a, of a number below n. */
export function negate(a: usize): void {
  subtractLimbs(a, N, a)
}

/** Reads 32 bytes, big-endian. The number may be n or more. */
export function readBytes(to: usize, from: usize): void {
  let gathered: u64 = 0
  let bits = 0
  let limb: usize = 0
  for (let i: isize = 31; i >= 0; i--) {
    gathered |= (<u64>load<u8>(from + <usize>i)) << bits
    bits += 8
    if (bits >= LIMB_BITS) {
      store<u32>(to + (limb << 2), <u32>(gathered & MASK))
      gathered >>= LIMB_BITS
      bits -= LIMB_BITS
      limb++
    }
  }
  store<u32>(to + 32, <u32>gathered)
}

/** The first sixteen powers of what is inverted. */
const POWERS = memory.data(16 * 36)
/** n - 2 in hexadecimal digits, the highest first. */
const EXPONENT = memory.data<u8>([
  15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15,
  15, 15, 14, 11, 10, 10, 14, 13, 12, 14, 6, 10, 15, 4, 8, 10, 0, 3, 11, 11, 15, 13, 2, 5, 14, 8, 12, 13, 0, 3, 6, 4, 1,
  3, 15,
])
const INVERSE = memory.data(36)

/** to = R^2 / a, that is the inverse of a = x R in the same form, by Fermat. */
export function invert(to: usize, a: usize): void {
  memory.copy(POWERS + SCALAR, a, SCALAR)
  for (let i: usize = 2; i < 16; i++) multiply(POWERS + i * SCALAR, POWERS + (i - 1) * SCALAR, a)
  memory.copy(INVERSE, POWERS + 15 * SCALAR, SCALAR)
  for (let i: usize = 1; i < 64; i++) {
    for (let j = 0; j < 4; j++) multiply(INVERSE, INVERSE, INVERSE)
    const digit = <usize>load<u8>(EXPONENT + i)
    if (digit !== 0) multiply(INVERSE, INVERSE, POWERS + digit * SCALAR)
  }
  memory.copy(to, INVERSE, SCALAR)
}
