/** Sums and differences of elements, limb by limb: what they leave is loose, or wide where it says so. */

import { ELEMENT, LIMB_BITS, LIMBS, TOP_BITS } from './field'

/** For each limb that of 8 p, with 2^29 borrowed from the next: no limb of a loose element is larger. */
const ENOUGH = memory.data<u32>([
  0x3fffe178, 0x3fffe178, 0x3fffffbe, 0x3fffffbe, 0x3ffffffe, 0x3ffffffe, 0x3ffffffe, 0x3ffffffe, 0x3ffffffe,
  0x3ffffffe, 0x3ffffffe, 0x3ffffffe, 0x3ffffffe, 0x3ffffffe, 0x3ffffffe, 0x3ffffffe, 0x07fffffe, 0x07fffffe,
])

function limb(element: usize, i: usize): v128 {
  return v128.load64_zero(element + (i << 3))
}

function setLimb(element: usize, i: usize, value: v128): void {
  v128.store64_lane(element + (i << 3), value, 0)
}

// biome-ignore lint/complexity/noStaticOnlyClass: only methods take decorators, and a call makes verification 15 % slower
export class Carried {
  /** Stores limbs of up to 32 bits as loose ones. None waits for another's carry. */
  @inline
  static store(
    to: usize,
    l0: v128,
    l1: v128,
    l2: v128,
    l3: v128,
    l4: v128,
    l5: v128,
    l6: v128,
    l7: v128,
    l8: v128,
  ): void {
    const mask = i32x4.splat(0x1fffffff)
    // The part above 2^256, which is congruent to 2^32 + 977.
    const over = i32x4.shr_u(l8, TOP_BITS)
    const over977 = i32x4.add(i32x4.sub(i32x4.shl(over, 10), i32x4.shl(over, 6)), i32x4.add(i32x4.shl(over, 4), over))
    setLimb(to, 0, i32x4.add(v128.and(l0, mask), over977))
    setLimb(to, 1, i32x4.add(v128.and(l1, mask), i32x4.add(i32x4.shr_u(l0, LIMB_BITS), i32x4.shl(over, 3))))
    setLimb(to, 2, i32x4.add(v128.and(l2, mask), i32x4.shr_u(l1, LIMB_BITS)))
    setLimb(to, 3, i32x4.add(v128.and(l3, mask), i32x4.shr_u(l2, LIMB_BITS)))
    setLimb(to, 4, i32x4.add(v128.and(l4, mask), i32x4.shr_u(l3, LIMB_BITS)))
    setLimb(to, 5, i32x4.add(v128.and(l5, mask), i32x4.shr_u(l4, LIMB_BITS)))
    setLimb(to, 6, i32x4.add(v128.and(l6, mask), i32x4.shr_u(l5, LIMB_BITS)))
    setLimb(to, 7, i32x4.add(v128.and(l7, mask), i32x4.shr_u(l6, LIMB_BITS)))
    setLimb(to, 8, i32x4.add(v128.and(l8, i32x4.splat(0xffffff)), i32x4.shr_u(l7, LIMB_BITS)))
  }
}

/** A limb of a - b, never negative. */
function difference(a: usize, b: usize, i: usize): v128 {
  return i32x4.sub(i32x4.add(limb(a, i), limb(ENOUGH, i)), limb(b, i))
}

/** to = a - b, wide. */
export function subtractWide(to: usize, a: usize, b: usize): void {
  setLimb(to, 0, difference(a, b, 0))
  setLimb(to, 1, difference(a, b, 1))
  setLimb(to, 2, difference(a, b, 2))
  setLimb(to, 3, difference(a, b, 3))
  setLimb(to, 4, difference(a, b, 4))
  setLimb(to, 5, difference(a, b, 5))
  setLimb(to, 6, difference(a, b, 6))
  setLimb(to, 7, difference(a, b, 7))
  setLimb(to, 8, difference(a, b, 8))
}

/** to = a - b, loose. */
export function subtract(to: usize, a: usize, b: usize): void {
  Carried.store(
    to,
    difference(a, b, 0),
    difference(a, b, 1),
    difference(a, b, 2),
    difference(a, b, 3),
    difference(a, b, 4),
    difference(a, b, 5),
    difference(a, b, 6),
    difference(a, b, 7),
    difference(a, b, 8),
  )
}

/** A limb of a - 2 b - c, never negative. */
function differenceOfThree(a: usize, b: usize, c: usize, i: usize): v128 {
  const enough = limb(ENOUGH, i)
  const thrice = i32x4.add(i32x4.add(enough, enough), enough)
  return i32x4.sub(i32x4.sub(i32x4.add(limb(a, i), thrice), i32x4.shl(limb(b, i), 1)), limb(c, i))
}

/** to = a - 2 b - c, loose. c may be what `subtractWide` leaves; of any wide c three times `ENOUGH` would not be enough. */
export function subtractTwiceAndWide(to: usize, a: usize, b: usize, c: usize): void {
  Carried.store(
    to,
    differenceOfThree(a, b, c, 0),
    differenceOfThree(a, b, c, 1),
    differenceOfThree(a, b, c, 2),
    differenceOfThree(a, b, c, 3),
    differenceOfThree(a, b, c, 4),
    differenceOfThree(a, b, c, 5),
    differenceOfThree(a, b, c, 6),
    differenceOfThree(a, b, c, 7),
    differenceOfThree(a, b, c, 8),
  )
}

/** to = a * factor, loose. The factor is at most 4. */
export function scale(to: usize, a: usize, factor: u32): void {
  const factors = i32x4.splat(factor)
  Carried.store(
    to,
    i32x4.mul(limb(a, 0), factors),
    i32x4.mul(limb(a, 1), factors),
    i32x4.mul(limb(a, 2), factors),
    i32x4.mul(limb(a, 3), factors),
    i32x4.mul(limb(a, 4), factors),
    i32x4.mul(limb(a, 5), factors),
    i32x4.mul(limb(a, 6), factors),
    i32x4.mul(limb(a, 7), factors),
    i32x4.mul(limb(a, 8), factors),
  )
}

/** to = from. */
export function copy(to: usize, from: usize): void {
  memory.copy(to, from, ELEMENT)
}

/** Sets both lanes to 1. */
export function setOne(to: usize): void {
  memory.fill(to, 0, ELEMENT)
  store<u64>(to, 0x100000001)
}

/** Sets one lane to 1. */
export function setLaneOne(to: usize, lane: usize): void {
  for (let i: usize = 0; i < LIMBS; i++) store<u32>(to + (i << 3) + (lane << 2), i === 0 ? 1 : 0)
}

/** A limb of a value, negated in the lanes whose mask is all ones. */
export function negatedWhere(masks: v128, value: v128, i: usize): v128 {
  return v128.bitselect(i32x4.sub(limb(ENOUGH, i), value), value, masks)
}
