/**
 * Sums and differences of elements, two neighbouring limbs at a time; the last limb is alone. The results are loose, or wide
 * where it says so.
 */

import { ELEMENT, LIMB_BITS, LIMBS, TOP_BITS } from './field'

/** For each limb that of 8 p, with 2^29 borrowed from the next: no limb of a loose element is larger. */
const ENOUGH = memory.data<u32>([
  0x3fffe178, 0x3fffe178, 0x3fffffbe, 0x3fffffbe, 0x3ffffffe, 0x3ffffffe, 0x3ffffffe, 0x3ffffffe, 0x3ffffffe,
  0x3ffffffe, 0x3ffffffe, 0x3ffffffe, 0x3ffffffe, 0x3ffffffe, 0x3ffffffe, 0x3ffffffe, 0x07fffffe, 0x07fffffe,
])

/** Offset of the last limb. */
const TOP: usize = 64

/** The two limbs at an offset, or the last one beside 0. */
function limbs(element: usize, offset: usize): v128 {
  return offset === TOP ? v128.load64_zero(element + offset) : v128.load(element + offset)
}

/** Two limbs beside each other. */
export function pair(first: v128, second: v128): v128 {
  return i8x16.shuffle(first, second, 0, 1, 2, 3, 4, 5, 6, 7, 16, 17, 18, 19, 20, 21, 22, 23)
}

/** The second limb of one pair and the first of the next. */
export function between(a: v128, b: v128): v128 {
  return i8x16.shuffle(a, b, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23)
}

// biome-ignore lint/complexity/noStaticOnlyClass: only methods take decorators, and a call makes verification 15 % slower
export class Carried {
  /** Stores limbs of up to 32 bits, in pairs, as loose ones. None waits for another's carry. */
  @inline
  static store(to: usize, l0: v128, l2: v128, l4: v128, l6: v128, l8: v128): void {
    const mask = i32x4.splat(0x1fffffff)
    const c0 = i32x4.shr_u(l0, LIMB_BITS)
    const c2 = i32x4.shr_u(l2, LIMB_BITS)
    const c4 = i32x4.shr_u(l4, LIMB_BITS)
    const c6 = i32x4.shr_u(l6, LIMB_BITS)
    // The part above 2^256, which is congruent to 2^32 + 977.
    const over = i32x4.shr_u(l8, TOP_BITS)
    const over977 = i32x4.add(i32x4.sub(i32x4.shl(over, 10), i32x4.shl(over, 6)), i32x4.add(i32x4.shl(over, 4), over))
    const over8 = i32x4.add(c0, i32x4.shl(over, 3))
    v128.store(to, i32x4.add(v128.and(l0, mask), pair(over977, over8)))
    v128.store(to, i32x4.add(v128.and(l2, mask), between(c0, c2)), 16)
    v128.store(to, i32x4.add(v128.and(l4, mask), between(c2, c4)), 32)
    v128.store(to, i32x4.add(v128.and(l6, mask), between(c4, c6)), 48)
    v128.store64_lane(to, i32x4.add(v128.and(l8, i32x4.splat(0xffffff)), between(c6, c6)), 0, 64)
  }
}

/** Limbs of a - b, never negative. */
function difference(a: usize, b: usize, offset: usize): v128 {
  return i32x4.sub(i32x4.add(limbs(a, offset), limbs(ENOUGH, offset)), limbs(b, offset))
}

/** to = a - b, wide. */
export function subtractWide(to: usize, a: usize, b: usize): void {
  v128.store(to, difference(a, b, 0))
  v128.store(to, difference(a, b, 16), 16)
  v128.store(to, difference(a, b, 32), 32)
  v128.store(to, difference(a, b, 48), 48)
  v128.store64_lane(to, difference(a, b, TOP), 0, 64)
}

/** to = a - b, loose. */
export function subtract(to: usize, a: usize, b: usize): void {
  const middle = difference(a, b, 32)
  Carried.store(to, difference(a, b, 0), difference(a, b, 16), middle, difference(a, b, 48), difference(a, b, TOP))
}

/** Limbs of a - 2 b - c, never negative. */
function differenceOfThree(a: usize, b: usize, c: usize, offset: usize): v128 {
  const enough = limbs(ENOUGH, offset)
  const thrice = i32x4.add(i32x4.add(enough, enough), enough)
  return i32x4.sub(i32x4.sub(i32x4.add(limbs(a, offset), thrice), i32x4.shl(limbs(b, offset), 1)), limbs(c, offset))
}

/** to = a - 2 b - c, loose. c may be what `subtractWide` leaves; of any wide c three times `ENOUGH` would not be enough. */
export function subtractTwiceAndWide(to: usize, a: usize, b: usize, c: usize): void {
  Carried.store(
    to,
    differenceOfThree(a, b, c, 0),
    differenceOfThree(a, b, c, 16),
    differenceOfThree(a, b, c, 32),
    differenceOfThree(a, b, c, 48),
    differenceOfThree(a, b, c, TOP),
  )
}

/** to = a * factor, loose. The factor is at most 4. */
export function scale(to: usize, a: usize, factor: u32): void {
  const factors = i32x4.splat(factor)
  Carried.store(
    to,
    i32x4.mul(limbs(a, 0), factors),
    i32x4.mul(limbs(a, 16), factors),
    i32x4.mul(limbs(a, 32), factors),
    i32x4.mul(limbs(a, 48), factors),
    i32x4.mul(limbs(a, TOP), factors),
  )
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

/** Limbs of a value, negated in the lanes whose mask is all ones. */
export function negatedWhere(masks: v128, value: v128, offset: usize): v128 {
  return v128.bitselect(i32x4.sub(limbs(ENOUGH, offset), value), value, masks)
}
