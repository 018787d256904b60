/**
 * Tables of multiples. A table of width w has a row for every w bits of a scalar, and in row i the points
 * (2 j + 1) 2^(w i) P for j from 0 to 2^(w - 1) - 1, so that any odd multiple of P is the sum of one point of each row,
 * some of them negated, and no doubling.
 *
 * A point of a table is x and then y, 32 bytes each, little-endian, below p: a line of the processor's cache.
 */

import { ELEMENT, invert, multiply, square } from './field'
import { scale, setOne, subtract } from './field-linear'
import { canonical, isValue, join, pack } from './limbs'
import { addAll, addLater, POINT, SUMS_MAX } from './sums'

/** Bytes of a coordinate in a table, and of a point. */
const COORDINATE: usize = 32
export const TABLE_POINT: usize = 2 * COORDINATE
/** Bits of a scalar. */
const SCALAR_BITS: i32 = 256

export function rowsOf(width: i32): i32 {
  return (SCALAR_BITS + width - 1) / width
}

export function tableBytes(width: i32): usize {
  return <usize>(rowsOf(width) << (width - 1)) * TABLE_POINT
}

/** Makes a point of two lanes of two points of tables, negated in the lanes whose mask is all ones. */
export function joinPoints(to: usize, first: usize, second: usize, masks: v128): void {
  join(to, first, second, i32x4.splat(0))
  join(to + ELEMENT, first + COORDINATE, second + COORDINATE, masks)
}

function putInTable(to: usize, from: usize, lane: usize): void {
  pack(to, canonical(from, lane))
  pack(to + COORDINATE, canonical(from + ELEMENT, lane))
}

/** Whether a point of a table is on the curve: y^2 - x^3 = 7. */
export function isOnCurve(point: usize): bool {
  joinPoints(JACOBIANS, point, point, i32x4.splat(0))
  square(A, JACOBIANS)
  multiply(A, A, JACOBIANS)
  square(B, JACOBIANS + ELEMENT)
  subtract(B, B, A)
  return isValue(B, 0, 7)
}

/** A row may begin near the end of the scalar, and has all its points nevertheless. */
const DOUBLES_MAX: i32 = 272
/** P, 2 P, 4 P, ... as points of a table. */
const DOUBLES = memory.data(272 * 64)
/** The same with x = X / Z^2 and y = Y / Z^3: X, Y, Z, and what all earlier Z multiply to. */
const JACOBIAN: usize = 4 * ELEMENT
const JACOBIANS = memory.data(272 * 288)
const A = memory.data(72)
const B = memory.data(72)
const C = memory.data(72)
const D = memory.data(72)

/** One doubling in Jacobian coordinates: X' = M^2 - 2 S, Y' = M (S - X') - 8 Y^4, Z' = 2 Y Z, M = 3 X^2, S = 4 X Y^2. */
function double(to: usize, from: usize): void {
  const y = from + ELEMENT
  const z = from + 2 * ELEMENT
  square(A, from)
  scale(A, A, 3)
  square(B, y)
  multiply(C, from, B)
  scale(C, C, 4)
  square(D, A)
  subtract(D, D, C)
  subtract(to, D, C)
  subtract(C, C, to)
  multiply(C, A, C)
  square(B, B)
  scale(B, B, 4)
  scale(B, B, 2)
  multiply(D, y, z)
  subtract(to + ELEMENT, C, B)
  scale(to + 2 * ELEMENT, D, 2)
}

/** Fills DOUBLES, from a point of a table. */
function makeDoubles(point: usize): void {
  joinPoints(JACOBIANS, point, point, i32x4.splat(0))
  setOne(JACOBIANS + 2 * ELEMENT)
  setOne(JACOBIANS + 3 * ELEMENT)
  for (let i = 1; i < DOUBLES_MAX; i++) {
    const to = JACOBIANS + <usize>i * JACOBIAN
    const from = to - JACOBIAN
    double(to, from)
    multiply(to + 3 * ELEMENT, from + 3 * ELEMENT, from + 2 * ELEMENT)
  }
  const last = JACOBIANS + <usize>(DOUBLES_MAX - 1) * JACOBIAN
  multiply(A, last + 3 * ELEMENT, last + 2 * ELEMENT)
  invert(A, A)
  for (let i = DOUBLES_MAX - 1; i >= 0; i--) {
    const from = JACOBIANS + <usize>i * JACOBIAN
    multiply(B, A, from + 3 * ELEMENT)
    multiply(A, A, from + 2 * ELEMENT)
    square(C, B)
    multiply(from, from, C)
    multiply(C, C, B)
    multiply(from + ELEMENT, from + ELEMENT, C)
    putInTable(DOUBLES + <usize>i * TABLE_POINT, from, 0)
  }
}

const SCRATCH = memory.data(2 * SUMS_MAX * 144)

/** Makes the table of width w of a point. Every point of it is one: n divides no (2 j + 1) 2^(w i). */
export function makeTable(to: usize, point: usize, width: i32): void {
  makeDoubles(point)
  const rows = rowsOf(width)
  const rowBytes = TABLE_POINT << (width - 1)
  for (let row = 0; row < rows; row++) {
    memory.copy(to + <usize>row * rowBytes, DOUBLES + <usize>(row * width) * TABLE_POINT, TABLE_POINT)
  }
  // The first 2^t points of each row and 2^(t + 1) times its base are the next 2^t points.
  for (let known = 1; known < 1 << (width - 1); known <<= 1) addKnown(to, rows, width, known)
}

function addKnown(to: usize, rows: i32, width: i32, known: i32): void {
  const total = rows * known
  for (let start = 0; start < total; start += 2 * SUMS_MAX) {
    const end = min(start + 2 * SUMS_MAX, total)
    for (let at = start; at < end; at += 2) {
      const scratch = SCRATCH + <usize>(at - start) * POINT
      const other = min(at + 1, end - 1)
      const none = i32x4.splat(0)
      joinPoints(scratch, knownPoint(to, width, known, at), knownPoint(to, width, known, other), none)
      joinPoints(scratch + POINT, stepOf(width, known, at), stepOf(width, known, other), none)
      addLater(scratch, scratch + POINT)
    }
    addAll()
    for (let at = start; at < end; at++) {
      const scratch = SCRATCH + <usize>((at - start) & ~1) * POINT
      putInTable(knownPoint(to, width, known, at) + <usize>known * TABLE_POINT, scratch, (at - start) & 1)
    }
  }
}

/** Where the at-th of the known points of all rows lies. */
function knownPoint(table: usize, width: i32, known: i32, at: i32): usize {
  return table + <usize>(((at / known) << (width - 1)) + (at % known)) * TABLE_POINT
}

/** The point to add to it: 2 known times the base of its row. */
function stepOf(width: i32, known: i32, at: i32): usize {
  const doublings = (at / known) * width + ctz(known) + 1
  return DOUBLES + <usize>doublings * TABLE_POINT
}
