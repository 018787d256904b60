import { escaped } from './escapes.js'
import type { Value } from './sql.js'

/*
 * Arrays in PostgreSQL's binary format, which the server reads several times as fast as their text. Statements are given hundreds of
 * elements, so that is a good part of what one costs.
 *
 *     int32 dimensions | int32 0 | uint32 type | int32 elements | int32 first index | elements: int32 bytes, -1 for NULL; bytes
 */

/** Writes an element, and answers how many bytes it has; null when it is none of the type, which is for the server to say. */
type Write = (item: Value) => number | null

interface ElementType {
  /** PostgreSQL's number of it (`pg_type.dat`). */
  readonly oid: number
  readonly write: Write
}

/** Those that are worth it. The binary format of `numeric` is not: its elements are few digits. */
const TYPES: ReadonlyMap<string, ElementType> = new Map([
  ['boolean', { oid: 16, write: writeBoolean }],
  ['bytea', { oid: 17, write: writeBytes }],
  ['bigint', { oid: 20, write: writeInt8 }],
  ['smallint', { oid: 21, write: writeInt2 }],
  ['text', { oid: 25, write: writeText }],
  ['uuid', { oid: 2950, write: writeUuid }],
])

const HEADER_BYTES = 20
/** The last bytes of the header. */
const DIMENSION_BYTES = 8
const LENGTH_BYTES = 4
const NULL_LENGTH = -1
/** What an array may leave behind of the memory that it was written in. */
const KEPT_BYTES = 1 << 18

let bytes: Buffer = Buffer.allocUnsafeSlow(KEPT_BYTES)
let view = viewOf(bytes)
/** Where the next byte is written. */
let end = 0

/** An array of a type; null where it is none that is written in binary, or has an element that is not of the type. */
export function binaryArray(items: readonly Value[], type: string): Buffer | null {
  const known = TYPES.get(type)
  if (known === undefined) return null
  writeHeader(known.oid, items.length)
  const isOfType = items.every((item) => writeElement(item, known.write))
  const written = isOfType ? Buffer.from(bytes.subarray(0, end)) : null
  if (bytes.length > KEPT_BYTES) keep(Buffer.allocUnsafeSlow(KEPT_BYTES))
  return written
}

/** An array without elements has no dimensions. */
function writeHeader(oid: number, length: number): void {
  view.setInt32(0, length === 0 ? 0 : 1)
  view.setInt32(4, 0)
  view.setUint32(8, oid)
  view.setInt32(12, length)
  view.setInt32(16, 1)
  end = length === 0 ? HEADER_BYTES - DIMENSION_BYTES : HEADER_BYTES
}

/** False when the element is none of the type. */
function writeElement(item: Value, write: Write): boolean {
  reserve(LENGTH_BYTES)
  const at = end
  end += LENGTH_BYTES
  if (item === null) {
    view.setInt32(at, NULL_LENGTH)
    return true
  }
  const length = write(item)
  if (length === null) return false
  view.setInt32(at, length)
  end += length
  return true
}

function writeBoolean(item: Value): number | null {
  if (typeof item !== 'boolean') return null
  reserve(1)
  bytes[end] = item ? 1 : 0
  return 1
}

function writeBytes(item: Value): number | null {
  if (!(item instanceof Uint8Array)) return null
  reserve(item.length)
  bytes.set(item, end)
  return item.length
}

function writeInt2(item: Value): number | null {
  if (typeof item !== 'number' || item !== (item << 16) >> 16) return null
  reserve(2)
  view.setInt16(end, item)
  return 2
}

function writeInt8(item: Value): number | null {
  reserve(8)
  if (typeof item === 'bigint') {
    if (BigInt.asIntN(64, item) !== item) return null
    view.setBigInt64(end, item)
    return 8
  }
  if (typeof item !== 'number' || !Number.isSafeInteger(item)) return null
  view.setInt32(end, Math.floor(item / 0x1_0000_0000))
  view.setUint32(end + 4, item >>> 0)
  return 8
}

/** Texts up to this length are mostly ids, and are written faster one character after the other. */
const SHORT = 64

function writeText(item: Value): number | null {
  if (typeof item !== 'string') return null
  const { length } = item
  if (length > SHORT) return writeUtf8(item)
  reserve(length)
  for (let i = 0; i < length; i += 1) {
    const code = item.charCodeAt(i)
    if (code < FIRST_PLAIN || code > LAST_PLAIN) return writeUtf8(item)
    bytes[end + i] = code
  }
  return length
}

/** Characters that are one byte, and not escaped. */
const [FIRST_PLAIN, LAST_PLAIN] = [0x02, 0x7f]
const UTF8_BYTES_MAX = 3

function writeUtf8(text: string): number {
  const item = escaped(text)
  reserve(UTF8_BYTES_MAX * item.length)
  return bytes.write(item, end)
}

const UUID_DIGITS = 32

/** 32 hex characters. */
function writeUuid(item: Value): number | null {
  if (typeof item !== 'string' || item.length !== UUID_DIGITS) return null
  reserve(UUID_DIGITS / 2)
  for (let i = 0; i < UUID_DIGITS; i += 2) {
    const high = DIGITS[item.charCodeAt(i)] ?? NO_DIGIT
    const low = DIGITS[item.charCodeAt(i + 1)] ?? NO_DIGIT
    if (high + low >= NO_DIGIT) return null
    bytes[end + i / 2] = 16 * high + low
  }
  return UUID_DIGITS / 2
}

const NO_DIGIT = 0x80
/** What a character stands for, by its code. */
const DIGITS = Uint8Array.from({ length: 128 }, (_, code) => {
  const digit = '0123456789abcdef'.indexOf(String.fromCharCode(code).toLowerCase())
  return digit === -1 ? NO_DIGIT : digit
})

/** Makes room for so many bytes more. */
function reserve(more: number): void {
  if (end + more <= bytes.length) return
  const larger = Buffer.allocUnsafeSlow(2 * (end + more))
  larger.set(bytes.subarray(0, end))
  keep(larger)
}

function keep(memory: Buffer): void {
  bytes = memory
  view = viewOf(memory)
}

function viewOf({ buffer, byteOffset, byteLength }: Buffer): DataView {
  return new DataView(buffer, byteOffset, byteLength)
}
