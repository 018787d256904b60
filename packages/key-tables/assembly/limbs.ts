/**
 * The numbers that the lanes of elements stand for: nine u32 limbs of 29 bits, or packed into 32 bytes, little-endian.
 */

import { LIMB_BITS, LIMBS, TOP_BITS } from './field'
import { between, Carried, negatedWhere, pair } from './field-linear'

const CANONICAL = memory.data(36)
const P = memory.data<u32>([
  0x1ffffc2f, 0x1ffffff7, 0x1fffffff, 0x1fffffff, 0x1fffffff, 0x1fffffff, 0x1fffffff, 0x1fffffff, 0xffffff,
])

/** Returns where the number below p is that a lane, loose or wide, stands for: nine u32. The next call overwrites it. */
export function canonical(element: usize, lane: usize): usize {
  const from = element + (lane << 2)
  // This leaves limbs of 29 bits and a number below 2^256 + 2^235, from which p is to be subtracted once at most.
  const top = load<u32>(from, 64)
  const over = top >> TOP_BITS
  let limb = load<u32>(from) + over * 977
  store<u32>(CANONICAL, limb & 0x1fffffff)
  limb = load<u32>(from, 8) + (over << 3) + (limb >> LIMB_BITS)
  for (let i: usize = 1; i < LIMBS - 1; i++) {
    store<u32>(CANONICAL + (i << 2), limb & 0x1fffffff)
    limb = (i < LIMBS - 2 ? load<u32>(from + (i << 3), 8) : top & 0xffffff) + (limb >> LIMB_BITS)
  }
  store<u32>(CANONICAL, limb, 32)
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

/** Whether a lane, loose or wide, stands for `value`, which is below 2^29. */
export function isValue(element: usize, lane: usize, value: u32): bool {
  const number = canonical(element, lane)
  for (let i: usize = 1; i < LIMBS; i++) if (load<u32>(number + (i << 2)) !== 0) return false
  return load<u32>(number) === value
}

/** Four words of two packed numbers, word by word beside each other: the first two, or the last two. */
function firstWords(a: v128, b: v128): v128 {
  return i8x16.shuffle(a, b, 0, 1, 2, 3, 16, 17, 18, 19, 4, 5, 6, 7, 20, 21, 22, 23)
}

function lastWords(a: v128, b: v128): v128 {
  return i8x16.shuffle(a, b, 8, 9, 10, 11, 24, 25, 26, 27, 12, 13, 14, 15, 28, 29, 30, 31)
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
  const none = i32x4.splat(0)
  const w0 = firstWords(a0, b0)
  const w1 = between(w0, none)
  const w2 = lastWords(a0, b0)
  const w3 = between(w2, none)
  const w4 = firstWords(a4, b4)
  const w5 = between(w4, none)
  const w6 = lastWords(a4, b4)
  const w7 = between(w6, none)
  const both = pair(masks, masks)
  Carried.store(
    to,
    negatedWhere(both, pair(v128.and(w0, i32x4.splat(0x1fffffff)), cut(w0, w1, 29)), 0),
    negatedWhere(both, pair(cut(w1, w2, 26), cut(w2, w3, 23)), 16),
    negatedWhere(both, pair(cut(w3, w4, 20), cut(w4, w5, 17)), 32),
    negatedWhere(both, pair(cut(w5, w6, 14), cut(w6, w7, 11)), 48),
    negatedWhere(both, i32x4.shr_u(w7, 8), 64),
  )
}

/** Packs nine u32 limbs below 2^29, the last below 2^24, into 32 bytes, little-endian. */
export function pack(to: usize, limbs: usize): void {
  for (let i: usize = 0; i < LIMBS - 1; i++) {
    const at = i << 2
    const shift = <u32>i * 3
    store<u32>(to + at, (load<u32>(limbs + at) >> shift) | (load<u32>(limbs + at, 4) << (29 - shift)))
  }
}
