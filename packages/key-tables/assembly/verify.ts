/**
 * Verifies many ECDSA signatures (SEC 1, 4.1.4) at once, of keys that have a table of multiples: R = u1 G + u2 P is the
 * sum of one point of each row of two tables. All inputs are public, so nothing needs constant time. A call that breaks
 * the contract of an export traps.
 */

import { LIMBS } from './field'
import { canonical, pack } from './limbs'
import * as order from './order'
import { addAll, addLater, hasFailed, POINT } from './sums'
import { isOnCurve, joinPoints, makeTable, rowsOf, TABLE_POINT, tableBytes } from './tables'

/** Signatures that are verified at once, at most. */
export const BATCH: i32 = 64
/** Width of the generator's table, and of a key's. */
const G_WIDTH: i32 = 11
const KEY_WIDTH: i32 = 7

/** A signature to verify: digest, r and s, 32 bytes each, big-endian, r and s from 1 to n - 1; and the number of its key, u32. */
const INPUT_BYTES: usize = 100
export const INPUT = memory.data(64 * 100)
/** The verdict on each, a byte. The codes differ from each other, and from fresh memory, in several bits. */
export const VERDICTS = memory.data(64)
const INVALID: u8 = 0x49
const VALID: u8 = 0x56
/** Two of the points to be added were equal or opposite, which takes another formula: an engine has to decide. */
const UNDECIDED: u8 = 0x2a

/** x and y of a point, 32 bytes each, big-endian. */
export const KEY_INPUT = memory.data(64)
const KEY_POINT = memory.data(64)

/** The generator of the group (SEC 2, 2.4.1), like `KEY_INPUT`. */
const G = memory.data<u8>([
  0x79, 0xbe, 0x66, 0x7e, 0xf9, 0xdc, 0xbb, 0xac, 0x55, 0xa0, 0x62, 0x95, 0xce, 0x87, 0x0b, 0x07, 0x02, 0x9b, 0xfc,
  0xdb, 0x2d, 0xce, 0x28, 0xd9, 0x59, 0xf2, 0x81, 0x5b, 0x16, 0xf8, 0x17, 0x98, 0x48, 0x3a, 0xda, 0x77, 0x26, 0xa3,
  0xc4, 0x65, 0x5d, 0xa4, 0xfb, 0xfc, 0x0e, 0x11, 0x08, 0xa8, 0xfd, 0x17, 0xb4, 0x48, 0xa6, 0x85, 0x54, 0x19, 0x9c,
  0x47, 0xd0, 0x8f, 0xfb, 0x10, 0xd4, 0xb8,
])

const G_ROWS = rowsOf(G_WIDTH)
const KEY_ROWS = rowsOf(KEY_WIDTH)
const KEY_TABLE_BYTES = tableBytes(KEY_WIDTH)
/** The points to be added for a pair of signatures. */
const SUMMANDS = G_ROWS + KEY_ROWS
const PAIR_BYTES = <usize>SUMMANDS * POINT

const PAGE: u64 = 65536
/** Pages of an address space of 2^32 bytes. */
const PAGES_MAX: u64 = 65536
/** Everything of a size that is computed lies behind the static data: G's table, the points of the batch, the tables of keys. */
const G_TABLE = (__heap_base + 63) & ~63
const POINTS = G_TABLE + tableBytes(G_WIDTH)
const KEY_TABLES = (POINTS + PAIR_BYTES * (BATCH / 2) + 63) & ~63

/** Key tables there is memory for. */
let tables: u32 = 0

/** Reserves memory for the tables of `keys` keys, and makes the generator's. Returns whether there was enough memory. */
export function start(keys: i32): bool {
  const end = <u64>KEY_TABLES + <u64>(<u32>keys) * <u64>KEY_TABLE_BYTES
  const pages = (end + PAGE - 1) / PAGE
  if (pages > PAGES_MAX) return false
  const missing = <i32>pages - memory.size()
  if (missing > 0 && memory.grow(missing) < 0) return false
  readPoint(G)
  makeTable(G_TABLE, KEY_POINT, G_WIDTH)
  tables = <u32>keys
  return true
}

/** Makes the table number `key` that of the point in `KEY_INPUT`. Traps for a table that does not exist or no point of the curve. */
export function setKey(key: i32): void {
  readPoint(KEY_INPUT)
  if (<u32>key >= tables || !isOnCurve(KEY_POINT)) unreachable()
  makeTable(KEY_TABLES + <usize>key * KEY_TABLE_BYTES, KEY_POINT, KEY_WIDTH)
}

/** Puts a point like `KEY_INPUT` into `KEY_POINT`, the way tables have theirs. */
function readPoint(from: usize): void {
  for (let i: usize = 0; i < 32; i++) {
    store<u8>(KEY_POINT + i, load<u8>(from + 31 - i))
    store<u8>(KEY_POINT + 32 + i, load<u8>(from + 63 - i))
  }
}

/** The numbers of each signature: s R, what all earlier of these multiply to, and u1 and u2 to be cut into digits. */
const S = memory.data(64 * 36)
const EARLIER = memory.data(64 * 36)
const U1 = memory.data(64 * 40)
const U2 = memory.data(64 * 40)
const DIGITS_BYTES: usize = 40
/** Whether u1 and u2 were replaced by n - u, a byte each. */
const IS_NEGATED = memory.data(64 * 2)
const W = memory.data(36)
const PRODUCT = memory.data(36)
const NUMBER = memory.data(36)

/**
 * Verifies the first `count` signatures of the input. Each is invalid until its sum proves it valid. Traps when the count
 * exceeds a batch, a table does not exist, or r or s is out of range.
 */
export function verify(count: i32): void {
  if (<u32>count > <u32>BATCH) unreachable()
  if (count === 0) return
  for (let i = 0; i < count; i++) {
    if (!isInput(INPUT + <usize>i * INPUT_BYTES)) unreachable()
    store<u8>(VERDICTS + <usize>i, INVALID)
  }
  makeScalars(count)
  const pairs = (count + 1) >> 1
  for (let pair = 0; pair < pairs; pair++) gatherSummands(pair, min(2 * pair + 1, count - 1))
  sumUp(pairs, count)
  for (let i = 0; i < count; i++) {
    if (load<u8>(VERDICTS + <usize>i) !== UNDECIDED && isX(i)) store<u8>(VERDICTS + <usize>i, VALID)
  }
}

/** Whether a signature is within the contract: its table exists, and r and s are from 1 to n - 1. */
function isInput(from: usize): bool {
  return load<u32>(from + 96) < tables && order.isScalar(from + 32) && order.isScalar(from + 64)
}

/** u1 = e / s and u2 = r / s modulo n, each replaced by n - u when it is even. */
function makeScalars(count: i32): void {
  for (let i: usize = 0; i < <usize>count; i++) {
    const s = S + i * order.SCALAR
    order.readBytes(s, INPUT + i * INPUT_BYTES + 64)
    order.toMontgomery(s, s)
    if (i === 0) memory.copy(PRODUCT, s, order.SCALAR)
    else {
      memory.copy(EARLIER + i * order.SCALAR, PRODUCT, order.SCALAR)
      order.multiply(PRODUCT, PRODUCT, s)
    }
  }
  order.invert(PRODUCT, PRODUCT)
  for (let i: isize = count - 1; i >= 0; i--) {
    const at = <usize>i
    if (i === 0) memory.copy(W, PRODUCT, order.SCALAR)
    else {
      order.multiply(W, PRODUCT, EARLIER + at * order.SCALAR)
      order.multiply(PRODUCT, PRODUCT, S + at * order.SCALAR)
    }
    makeDigits(U1 + at * DIGITS_BYTES, IS_NEGATED + 2 * at, INPUT + at * INPUT_BYTES)
    makeDigits(U2 + at * DIGITS_BYTES, IS_NEGATED + 2 * at + 1, INPUT + at * INPUT_BYTES + 32)
  }
}

function makeDigits(to: usize, isNegated: usize, factor: usize): void {
  order.readBytes(NUMBER, factor)
  order.multiply(NUMBER, NUMBER, W)
  order.reduceOnce(NUMBER)
  const isEven = (load<u32>(NUMBER) & 1) === 0
  if (isEven) order.negate(NUMBER)
  store<u8>(isNegated, isEven ? 1 : 0)
  pack(to, NUMBER)
}

/** For each summand of a pair the addresses of its two points in tables, and the masks that tell which to negate. */
const SOURCES = memory.data(64 * 8)
const MASKS = memory.data(64 * 8)
// biome-ignore lint/correctness/noUnusedVariables: it keeps the compiler from leaving the loads out
let touched: u32 = 0

/**
 * Puts the points of two signatures beside each other. They lie far apart in memory, so each is loaded before the first
 * is used: the processor then fetches them all at once, which saves a fifth of a verification (docs/internals/verification.md).
 */
function gatherSummands(pair: i32, other: i32): void {
  const first = 2 * pair
  findSummands(0, first)
  findSummands(1, other)
  const start = POINTS + <usize>pair * PAIR_BYTES
  for (let i: usize = 0; i < <usize>SUMMANDS; i++) {
    const sources = SOURCES + (i << 3)
    joinPoints(start + i * POINT, load<u32>(sources), load<u32>(sources, 4), v128.load64_zero(MASKS + (i << 3)))
  }
}

function findSummands(lane: usize, signature: i32): void {
  const at = <usize>signature
  const table = KEY_TABLES + <usize>load<u32>(INPUT + at * INPUT_BYTES + 96) * KEY_TABLE_BYTES
  const isNegated = IS_NEGATED + 2 * at
  const next = findPoints(lane << 2, U1 + at * DIGITS_BYTES, load<u8>(isNegated), G_WIDTH, G_TABLE)
  findPoints(next, U2 + at * DIGITS_BYTES, load<u8>(isNegated + 1), KEY_WIDTH, table)
}

/** Finds the point of each row of a table that belongs to the scalar's digit. Returns where the next one goes. */
function findPoints(to: usize, scalar: usize, isNegated: u8, width: i32, table: usize): usize {
  for (let row = 0; row < rowsOf(width); row++) {
    const value = digit(scalar, row, width)
    const point = table + (((<usize>row) << (width - 1)) + <usize>((abs(value) - 1) >> 1)) * TABLE_POINT
    touched |= load<u32>(point)
    store<u32>(SOURCES + to, <u32>point)
    store<i32>(MASKS + to, (value >> 31) ^ -(<i32>isNegated))
    to += 8
  }
  return to
}

/**
 * The digit of an odd scalar in a row: odd, and between -2^w and 2^w. Odd digits of radix 2^w are its bits with the lowest
 * set, as every lower digit borrows the 1 that it lacks from the next one.
 */
function digit(scalar: usize, row: i32, width: i32): i32 {
  const at = row * width
  const bits = load<u32>(scalar + <usize>(at >> 3)) >> (at & 7)
  const isLast = row === rowsOf(width) - 1
  if (isLast) return (bits & ((1 << width) - 1)) | 1
  return ((bits & ((2 << width) - 1)) | 1) - (1 << width)
}

/** Adds the summands of every pair, halving their number each time, into the first. */
function sumUp(pairs: i32, count: i32): void {
  for (let left = SUMMANDS; left > 1; left = (left + 1) >> 1) {
    const additions = left >> 1
    const kept = left - additions
    for (let pair = 0; pair < pairs; pair++) {
      const points = POINTS + <usize>pair * PAIR_BYTES
      for (let i = 0; i < additions; i++) addLater(points + <usize>i * POINT, points + <usize>(i + kept) * POINT)
    }
    if (!addAll()) markUndecided(pairs, additions, count)
  }
}

function markUndecided(pairs: i32, additions: i32, count: i32): void {
  for (let i = 0; i < pairs * additions; i++) {
    for (let lane = 0; lane < 2; lane++) {
      const signature = 2 * (i / additions) + lane
      if (hasFailed(i, lane) && signature < count) store<u8>(VERDICTS + <usize>signature, UNDECIDED)
    }
  }
}

/** Whether the sum's x is r modulo n. */
function isX(signature: i32): bool {
  const x = canonical(POINTS + <usize>(signature >> 1) * PAIR_BYTES, <usize>signature & 1)
  order.reduceOnce(x)
  order.readBytes(NUMBER, INPUT + <usize>signature * INPUT_BYTES + 32)
  for (let i: usize = 0; i < LIMBS; i++) {
    if (load<u32>(x + (i << 2)) !== load<u32>(NUMBER + (i << 2))) return false
  }
  return true
}
