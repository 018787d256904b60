/**
 * The numbers that the lanes of elements stand for: nine u32 limbs of 29 bits, or packed into 32 bytes, little-endian.
 */

import { LIMB_BITS, LIMBS, TOP_BITS } from './field'
import { Carried, negatedWhere } from './field-linear'

const CANONICAL = memory.data(36)
const P = memory.data<u32>([
  0x1ffffc2f, 0x1ffffff7, 0x1fffffff, 0x1fffffff, 0x1fffffff, 0x1fffffff, 0x1fffffff, 0x1fffffff, 0xffffff,
])

/** Returns where the number below p is that a lane, loose or wide, stands for: nine u32. The next call overwrites it. */
export function canonical(element: usize, lane: usize): usize {
  const from = element + (lane << 2)
  let l0 = load<u32>(from)
  let l1 = load<u32>(from, 8)
  let l2 = load<u32>(from, 16)
  let l3 = load<u32>(from, 24)
  let l4 = load<u32>(from, 32)
  let l5 = load<u32>(from, 40)
  let l6 = load<u32>(from, 48)
  let l7 = load<u32>(from, 56)
  let l8 = load<u32>(from, 64)
  // This leaves limbs of 29 bits and a number below 2^256 + 2^235, from which p is to be subtracted once at most.
  const over = l8 >> TOP_BITS
  l0 += over * 977
  l1 += (over << 3) + (l0 >> LIMB_BITS)
  l2 += l1 >> LIMB_BITS
  l3 += l2 >> LIMB_BITS
  l4 += l3 >> LIMB_BITS
  l5 += l4 >> LIMB_BITS
  l6 += l5 >> LIMB_BITS
  l7 += l6 >> LIMB_BITS
  l8 = (l8 & 0xffffff) + (l7 >> LIMB_BITS)
  l0 &= 0x1fffffff
  l1 &= 0x1fffffff
  l2 &= 0x1fffffff
  l3 &= 0x1fffffff
  l4 &= 0x1fffffff
  l5 &= 0x1fffffff
  l6 &= 0x1fffffff
  l7 &= 0x1fffffff
  store<u32>(CANONICAL, l0)
  store<u32>(CANONICAL, l1, 4)
  store<u32>(CANONICAL, l2, 8)
  store<u32>(CANONICAL, l3, 12)
  store<u32>(CANONICAL, l4, 16)
  store<u32>(CANONICAL, l5, 20)
  store<u32>(CANONICAL, l6, 24)
  store<u32>(CANONICAL, l7, 28)
  store<u32>(CANONICAL, l8, 32)
  if (!isBelow(CANONICAL, P)) subtractLimbs(CANONICAL, CANONICAL, P)
  return CANONICAL
}

/** Whether the number of nine u32 limbs is below another. */
export function isBelow(a: usize, b: usize): bool {
  for (let i = <isize>LIMBS - 1; i >= 0; i--) {
    const x = load<u32>(a + ((<usize>i) << 2))
    const y = load<u32>(b + ((<usize>i) << 2))
    if (x !== y) return x < y
  }
  return false
}

/** to = a - b, of numbers of nine u32 limbs, b not larger than a. */
export function subtractLimbs(to: usize, a: usize, b: usize): void {
  let borrow: u32 = 0
  for (let i: usize = 0; i < LIMBS; i++) {
    const difference = load<u32>(a + (i << 2)) - load<u32>(b + (i << 2)) - borrow
    store<u32>(to + (i << 2), difference & 0x1fffffff)
    borrow = difference >> 31
  }
}

/** Whether a lane, loose or wide, stands for a number below 2^29. */
export function isSmall(element: usize, lane: usize, value: u32): bool {
  const number = canonical(element, lane)
  for (let i: usize = 1; i < LIMBS; i++) if (load<u32>(number + (i << 2)) !== 0) return false
  return load<u32>(number) === value
}

/** Whether a lane, loose or wide, stands for 0. */
export function isZero(element: usize, lane: usize): bool {
  return isSmall(element, lane, 0)
}

/** Four words of two packed numbers, word by word beside each other: the first two, or the last two. */
function firstWords(a: v128, b: v128): v128 {
  return i8x16.shuffle(a, b, 0, 1, 2, 3, 16, 17, 18, 19, 4, 5, 6, 7, 20, 21, 22, 23)
}

function lastWords(a: v128, b: v128): v128 {
  return i8x16.shuffle(a, b, 8, 9, 10, 11, 24, 25, 26, 27, 12, 13, 14, 15, 28, 29, 30, 31)
}

/** The upper half of a vector. */
function upper(a: v128): v128 {
  return i8x16.shuffle(a, a, 8, 9, 10, 11, 12, 13, 14, 15, 8, 9, 10, 11, 12, 13, 14, 15)
}

/** The limb whose lowest bit is the `from`-th of a word, and that ends in the next one. */
function cut(word: v128, next: v128, from: i32): v128 {
  return v128.and(v128.or(i32x4.shr_u(word, from), i32x4.shl(next, 32 - from)), i32x4.splat(0x1fffffff))
}

/**
 * Makes an element of two packed numbers: 32 bytes, little-endian, below p. The lanes whose mask is all ones are negated.
 */
export function join(to: usize, a: usize, b: usize, masks: v128): void {
  const a0 = v128.load(a)
  const b0 = v128.load(b)
  const a4 = v128.load(a, 16)
  const b4 = v128.load(b, 16)
  const w0 = firstWords(a0, b0)
  const w1 = upper(w0)
  const w2 = lastWords(a0, b0)
  const w3 = upper(w2)
  const w4 = firstWords(a4, b4)
  const w5 = upper(w4)
  const w6 = lastWords(a4, b4)
  const w7 = upper(w6)
  Carried.store(
    to,
    negatedWhere(masks, v128.and(w0, i32x4.splat(0x1fffffff)), 0),
    negatedWhere(masks, cut(w0, w1, 29), 1),
    negatedWhere(masks, cut(w1, w2, 26), 2),
    negatedWhere(masks, cut(w2, w3, 23), 3),
    negatedWhere(masks, cut(w3, w4, 20), 4),
    negatedWhere(masks, cut(w4, w5, 17), 5),
    negatedWhere(masks, cut(w5, w6, 14), 6),
    negatedWhere(masks, cut(w6, w7, 11), 7),
    negatedWhere(masks, i32x4.shr_u(w7, 8), 8),
  )
}

/** Packs nine u32 limbs below 2^29, the last below 2^24, into 32 bytes, little-endian. */
export function pack(to: usize, limbs: usize): void {
  store<u32>(to, (load<u32>(limbs, 0) >> 0) | (load<u32>(limbs, 4) << 29), 0)
  store<u32>(to, (load<u32>(limbs, 4) >> 3) | (load<u32>(limbs, 8) << 26), 4)
  store<u32>(to, (load<u32>(limbs, 8) >> 6) | (load<u32>(limbs, 12) << 23), 8)
  store<u32>(to, (load<u32>(limbs, 12) >> 9) | (load<u32>(limbs, 16) << 20), 12)
  store<u32>(to, (load<u32>(limbs, 16) >> 12) | (load<u32>(limbs, 20) << 17), 16)
  store<u32>(to, (load<u32>(limbs, 20) >> 15) | (load<u32>(limbs, 24) << 14), 20)
  store<u32>(to, (load<u32>(limbs, 24) >> 18) | (load<u32>(limbs, 28) << 11), 24)
  store<u32>(to, (load<u32>(limbs, 28) >> 21) | (load<u32>(limbs, 32) << 8), 28)
}
