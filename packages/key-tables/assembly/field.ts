/**
 * Numbers modulo p = 2^256 - 2^32 - 977 (SEC 2, 2.4.1), two at a time: one in each lane of a vector.
 *
 * An element is nine limbs of 29 bits, the least first; a limb is two u32 side by side, lane 0 and lane 1. The number may
 * be p or a little more. A stored element is *loose*: limbs 0 to 7 are below 2^29 + 2^20, limb 8 is below 2^24 + 2^20. A
 * difference that is only multiplied by a loose element may stay *wide*: limbs below 2^31. The nine products of a loose
 * and a wide limb sum to less than 2^63.4, so that no column of a product overflows its 64 bits.
 */

/** Bytes of an element. */
export const ELEMENT: usize = 72
/** Limbs of an element. */
export const LIMBS: usize = 9
/** Bits of a limb, and of the last one. */
export const LIMB_BITS: i32 = 29
export const TOP_BITS: i32 = 24

function times(a: v128, b: v128): v128 {
  return i64x2.extmul_low_i32x4_u(a, b)
}

function plus(sum: v128, a: v128, b: v128): v128 {
  return i64x2.add(sum, i64x2.extmul_low_i32x4_u(a, b))
}

function sum(a: v128, b: v128): v128 {
  return i64x2.add(a, b)
}

/** a b + c d */
function products(a: v128, b: v128, c: v128, d: v128): v128 {
  return plus(times(a, b), c, d)
}

function plus2(sum: v128, a: v128, b: v128, c: v128, d: v128): v128 {
  return plus(plus(sum, a, b), c, d)
}

function twice(a: v128): v128 {
  return i64x2.shl(a, 1)
}

/** The 29 bits that stay in a column. */
function low(column: v128): v128 {
  return v128.and(column, i64x2.splat(0x1fffffff))
}

/** The carry of a column to the next. */
function carry(column: v128): v128 {
  return i64x2.shr_u(column, LIMB_BITS)
}

/** 2^261 is congruent to 2^37 + 31264, and 31264 = 2^15 - 2^11 + 2^9 + 2^5. The smaller part of a limb from there. */
function folded(limb: v128): v128 {
  return sum(i64x2.sub(i64x2.shl(limb, 15), i64x2.shl(limb, 11)), sum(i64x2.shl(limb, 9), i64x2.shl(limb, 5)))
}

/** The larger part, a place higher. */
function foldedUp(limb: v128): v128 {
  return i64x2.shl(limb, 8)
}

/** Two columns below 2^32 as neighbouring limbs. */
function limbs(first: v128, second: v128): v128 {
  return i8x16.shuffle(first, second, 0, 1, 2, 3, 8, 9, 10, 11, 16, 17, 18, 19, 24, 25, 26, 27)
}

// biome-ignore lint/complexity/noStaticOnlyClass: only methods take decorators, and a call makes verification 15 % slower
class Columns {
  /**
   * Reduces the seventeen columns of a product and stores it loosely. No column waits for the carry of another until the
   * upper half is folded onto the lower one.
   */
  @inline
  static reduce(
    to: usize,
    c0: v128,
    c1: v128,
    c2: v128,
    c3: v128,
    c4: v128,
    c5: v128,
    c6: v128,
    c7: v128,
    c8: v128,
    c9: v128,
    c10: v128,
    c11: v128,
    c12: v128,
    c13: v128,
    c14: v128,
    c15: v128,
    c16: v128,
  ): void {
    const h0 = sum(low(c9), carry(c8))
    const h1 = sum(low(c10), carry(c9))
    const h2 = sum(low(c11), carry(c10))
    const h3 = sum(low(c12), carry(c11))
    const h4 = sum(low(c13), carry(c12))
    const h5 = sum(low(c14), carry(c13))
    const h6 = sum(low(c15), carry(c14))
    const h7 = sum(low(c16), carry(c15))
    const h8 = carry(c16)
    const h9 = foldedUp(h8)
    const r0 = sum(sum(low(c0), folded(h0)), folded(h9))
    const r1 = sum(sum(sum(low(c1), carry(c0)), sum(folded(h1), foldedUp(h0))), sum(foldedUp(h9), carry(r0)))
    const r2 = sum(sum(low(c2), carry(c1)), sum(sum(folded(h2), foldedUp(h1)), carry(r1)))
    const r3 = sum(sum(low(c3), carry(c2)), sum(sum(folded(h3), foldedUp(h2)), carry(r2)))
    const r4 = sum(sum(low(c4), carry(c3)), sum(sum(folded(h4), foldedUp(h3)), carry(r3)))
    const r5 = sum(sum(low(c5), carry(c4)), sum(sum(folded(h5), foldedUp(h4)), carry(r4)))
    const r6 = sum(sum(low(c6), carry(c5)), sum(sum(folded(h6), foldedUp(h5)), carry(r5)))
    const r7 = sum(sum(low(c7), carry(c6)), sum(sum(folded(h7), foldedUp(h6)), carry(r6)))
    const r8 = sum(sum(low(c8), carry(c7)), sum(sum(folded(h8), foldedUp(h7)), carry(r7)))
    // The part above 2^256, which is congruent to 2^32 + 977, and 977 = 2^10 - 2^6 + 2^4 + 1.
    const t = i64x2.shr_u(r8, TOP_BITS)
    const t977 = sum(i64x2.sub(i64x2.shl(t, 10), i64x2.shl(t, 6)), sum(i64x2.shl(t, 4), t))
    const s0 = sum(low(r0), t977)
    const s1 = sum(sum(low(r1), i64x2.shl(t, 3)), carry(s0))
    const r8Low = v128.and(r8, i64x2.splat(0xffffff))
    v128.store(to, limbs(low(s0), low(s1)))
    v128.store(to, limbs(sum(low(r2), carry(s1)), low(r3)), 16)
    v128.store(to, limbs(low(r4), low(r5)), 32)
    v128.store(to, limbs(low(r6), low(r7)), 48)
    v128.store64_lane(to, limbs(r8Low, r8Low), 0, 64)
  }
}

/** to = a * b. One of them may be wide. */
export function multiply(to: usize, a: usize, b: usize): void {
  const a0 = v128.load64_zero(a, 0)
  const a1 = v128.load64_zero(a, 8)
  const a2 = v128.load64_zero(a, 16)
  const a3 = v128.load64_zero(a, 24)
  const a4 = v128.load64_zero(a, 32)
  const a5 = v128.load64_zero(a, 40)
  const a6 = v128.load64_zero(a, 48)
  const a7 = v128.load64_zero(a, 56)
  const a8 = v128.load64_zero(a, 64)
  const b0 = v128.load64_zero(b, 0)
  const b1 = v128.load64_zero(b, 8)
  const b2 = v128.load64_zero(b, 16)
  const b3 = v128.load64_zero(b, 24)
  const b4 = v128.load64_zero(b, 32)
  const b5 = v128.load64_zero(b, 40)
  const b6 = v128.load64_zero(b, 48)
  const b7 = v128.load64_zero(b, 56)
  const b8 = v128.load64_zero(b, 64)
  const c0 = times(a0, b0)
  const c1 = plus(times(a0, b1), a1, b0)
  const c2 = plus(plus(times(a0, b2), a1, b1), a2, b0)
  const c3 = plus(plus(plus(times(a0, b3), a1, b2), a2, b1), a3, b0)
  const c4 = plus(plus(plus(plus(times(a0, b4), a1, b3), a2, b2), a3, b1), a4, b0)
  const c5 = plus(plus(plus(plus(plus(times(a0, b5), a1, b4), a2, b3), a3, b2), a4, b1), a5, b0)
  const c6 = plus(plus(plus(plus(plus(plus(times(a0, b6), a1, b5), a2, b4), a3, b3), a4, b2), a5, b1), a6, b0)
  const c7 = plus2(plus2(plus2(products(a0, b7, a1, b6), a2, b5, a3, b4), a4, b3, a5, b2), a6, b1, a7, b0)
  const c8 = plus(plus2(plus2(plus2(products(a0, b8, a1, b7), a2, b6, a3, b5), a4, b4, a5, b3), a6, b2, a7, b1), a8, b0)
  const c9 = plus2(plus2(plus2(products(a1, b8, a2, b7), a3, b6, a4, b5), a5, b4, a6, b3), a7, b2, a8, b1)
  const c10 = plus(plus(plus(plus(plus(plus(times(a2, b8), a3, b7), a4, b6), a5, b5), a6, b4), a7, b3), a8, b2)
  const c11 = plus(plus(plus(plus(plus(times(a3, b8), a4, b7), a5, b6), a6, b5), a7, b4), a8, b3)
  const c12 = plus(plus(plus(plus(times(a4, b8), a5, b7), a6, b6), a7, b5), a8, b4)
  const c13 = plus(plus(plus(times(a5, b8), a6, b7), a7, b6), a8, b5)
  const c14 = plus(plus(times(a6, b8), a7, b7), a8, b6)
  const c15 = plus(times(a7, b8), a8, b7)
  const c16 = times(a8, b8)
  Columns.reduce(to, c0, c1, c2, c3, c4, c5, c6, c7, c8, c9, c10, c11, c12, c13, c14, c15, c16)
}

/** to = a * a, of a loose a. */
export function square(to: usize, a: usize): void {
  const a0 = v128.load64_zero(a, 0)
  const a1 = v128.load64_zero(a, 8)
  const a2 = v128.load64_zero(a, 16)
  const a3 = v128.load64_zero(a, 24)
  const a4 = v128.load64_zero(a, 32)
  const a5 = v128.load64_zero(a, 40)
  const a6 = v128.load64_zero(a, 48)
  const a7 = v128.load64_zero(a, 56)
  const a8 = v128.load64_zero(a, 64)
  const c0 = times(a0, a0)
  const c1 = twice(times(a0, a1))
  const c2 = plus(twice(times(a0, a2)), a1, a1)
  const c3 = twice(plus(times(a0, a3), a1, a2))
  const c4 = plus(twice(plus(times(a0, a4), a1, a3)), a2, a2)
  const c5 = twice(plus(plus(times(a0, a5), a1, a4), a2, a3))
  const c6 = plus(twice(plus(plus(times(a0, a6), a1, a5), a2, a4)), a3, a3)
  const c7 = twice(plus(plus(plus(times(a0, a7), a1, a6), a2, a5), a3, a4))
  const c8 = plus(twice(plus(plus(plus(times(a0, a8), a1, a7), a2, a6), a3, a5)), a4, a4)
  const c9 = twice(plus(plus(plus(times(a1, a8), a2, a7), a3, a6), a4, a5))
  const c10 = plus(twice(plus(plus(times(a2, a8), a3, a7), a4, a6)), a5, a5)
  const c11 = twice(plus(plus(times(a3, a8), a4, a7), a5, a6))
  const c12 = plus(twice(plus(times(a4, a8), a5, a7)), a6, a6)
  const c13 = twice(plus(times(a5, a8), a6, a7))
  const c14 = plus(twice(times(a6, a8)), a7, a7)
  const c15 = twice(times(a7, a8))
  const c16 = times(a8, a8)
  Columns.reduce(to, c0, c1, c2, c3, c4, c5, c6, c7, c8, c9, c10, c11, c12, c13, c14, c15, c16)
}

const X2 = memory.data(72)
const X3 = memory.data(72)
const X22 = memory.data(72)
const X44 = memory.data(72)
const X88 = memory.data(72)
const X = memory.data(72)

/** to = a^(2^squarings) b. `to` must not be b. */
function raise(to: usize, a: usize, squarings: i32, b: usize): void {
  square(to, a)
  for (let i = 1; i < squarings; i++) square(to, to)
  multiply(to, to, b)
}

/**
 * to = 1 / a, or 0 when a is 0: a to the power of p - 2 (Fermat). In binary, p - 2 is 223 ones, 0, 22 ones, 0000101101;
 * Xn is a to the power of n ones. The chain is that of libsecp256k1.
 */
export function invert(to: usize, a: usize): void {
  raise(X2, a, 1, a)
  raise(X3, X2, 1, a)
  raise(X, X3, 3, X3) // 6 ones
  raise(X, X, 3, X3) // 9
  raise(X, X, 2, X2) // 11
  raise(X22, X, 11, X)
  raise(X44, X22, 22, X22)
  raise(X88, X44, 44, X44)
  raise(X, X88, 88, X88) // 176
  raise(X, X, 44, X44) // 220
  raise(X, X, 3, X3) // 223
  raise(X, X, 23, X22)
  raise(X, X, 5, a)
  raise(X, X, 3, X2)
  raise(X, X, 2, a)
  memory.copy(to, X, ELEMENT)
}
