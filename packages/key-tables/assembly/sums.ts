/**
 * Sums of points in affine coordinates, many at once. An affine addition divides once, and divisions share an inversion
 * (Montgomery's trick): six multiplications instead of the eleven of an addition in projective coordinates.
 *
 * A point here is x and then y, an element of two lanes each, so every addition is of two unrelated pairs of points.
 */

import { ELEMENT, invert, multiply, square } from './field'
import { setLaneOne, setOne, subtract, subtractTwiceAndWide, subtractWide } from './field-linear'
import { isValue } from './limbs'

/** Bytes of a point of two lanes. */
export const POINT: usize = 2 * ELEMENT
/** Additions that are done at once, at most. */
export const SUMS_MAX: i32 = 1024

/** Addresses of the points of each addition; the sum replaces the first. */
const FIRST = memory.data(SUMS_MAX * 4)
const SECOND = memory.data(SUMS_MAX * 4)
/** For each addition the product of the differences before it. */
const PRODUCTS = memory.data(SUMS_MAX * 72)
/** Whether a lane of an addition could not be done, a byte each: the points are equal or opposite, or were a failed sum. */
const FAILED = memory.data(SUMS_MAX * 2)

let waiting: i32 = 0

/** Has `second` added to `first`, by the next `addAll`. The point `second` is used up. */
export function addLater(first: usize, second: usize): void {
  const at = (<usize>waiting) << 2
  store<u32>(FIRST + at, <u32>first)
  store<u32>(SECOND + at, <u32>second)
  waiting++
}

const PRODUCT = memory.data(72)
const INVERSE = memory.data(72)
const SLOPE = memory.data(72)
const X = memory.data(72)

/**
 * Does the pending additions, and returns whether every one could be done. Two points with the same x take another formula, or
 * their sum is no point: `hasFailed` finds these additions, whose results are undefined.
 */
export function addAll(): bool {
  const count = waiting
  waiting = 0
  gatherDifferences(count)
  invert(INVERSE, PRODUCT)
  const complete = !isValue(PRODUCT, 0, 0) && !isValue(PRODUCT, 1, 0)
  if (!complete) {
    markFailed(count)
    invert(INVERSE, PRODUCT)
  }
  for (let i = count - 1; i >= 0; i--) {
    const first = <usize>load<u32>(FIRST + ((<usize>i) << 2))
    const second = <usize>load<u32>(SECOND + ((<usize>i) << 2))
    const y = first + ELEMENT
    // 1 / (x2 - x1), and then the inverse of the product without it.
    multiply(SLOPE, PRODUCTS + <usize>i * ELEMENT, INVERSE)
    multiply(INVERSE, second, INVERSE)
    subtractWide(second + ELEMENT, second + ELEMENT, y)
    multiply(SLOPE, second + ELEMENT, SLOPE)
    square(X, SLOPE)
    subtractTwiceAndWide(X, X, first, second)
    subtractWide(first, first, X)
    multiply(SLOPE, first, SLOPE)
    memory.copy(first, X, ELEMENT)
    subtract(y, SLOPE, y)
  }
  return complete
}

/** Whether a lane of the i-th of the last additions failed. Only after an `addAll` that was not complete. */
export function hasFailed(i: i32, lane: i32): bool {
  return load<u8>(FAILED + <usize>(2 * i + lane)) !== 0
}

/** Puts x2 - x1 in the place of every x2, and multiplies them. */
function gatherDifferences(count: i32): void {
  setOne(PRODUCT)
  for (let i = 0; i < count; i++) {
    const first = <usize>load<u32>(FIRST + ((<usize>i) << 2))
    const second = <usize>load<u32>(SECOND + ((<usize>i) << 2))
    subtractWide(second, second, first)
    memory.copy(PRODUCTS + <usize>i * ELEMENT, PRODUCT, ELEMENT)
    multiply(PRODUCT, second, PRODUCT)
  }
}

/** Puts 1 in the place of differences that are 0, so that the others have an inverse. */
function markFailed(count: i32): void {
  setOne(PRODUCT)
  for (let i = 0; i < count; i++) {
    const second = <usize>load<u32>(SECOND + ((<usize>i) << 2))
    for (let lane: usize = 0; lane < 2; lane++) {
      const failed = isValue(second, lane, 0)
      store<u8>(FAILED + ((<usize>i) << 1) + lane, failed ? 1 : 0)
      if (failed) setLaneOne(second, lane)
    }
    memory.copy(PRODUCTS + <usize>i * ELEMENT, PRODUCT, ELEMENT)
    multiply(PRODUCT, second, PRODUCT)
  }
}
