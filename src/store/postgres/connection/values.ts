import pg from 'pg'
import { binaryArray } from './binary-arrays.js'
import { escaped, original } from './escapes.js'
import type { Value } from './sql.js'

/*
 * How values cross the wire. Texts are escaped (`escapes.ts`).
 *
 *     bigint, count(*)    number: all of ours are times, numbers of rows or small
 *     numeric             bigint: all of ours are atoms or sums of them
 *     uuid                32 hex characters
 */

/** A value as the driver takes it. `elementType`: of the array that the statement takes; null where it takes none. */
export function toWire(value: Value, elementType: string | null): unknown {
  if (typeof value === 'string') return escaped(value)
  if (value instanceof Uint8Array) return bufferOf(value)
  if (!Array.isArray(value)) return value
  return (elementType === null ? null : binaryArray(value, elementType)) ?? arrayText(value)
}

/** An array as PostgreSQL reads it as text. */
function arrayText(items: readonly Value[]): string {
  return `{${items.map(elementText).join(',')}}`
}

function elementText(item: Value): string {
  if (item === null) return 'NULL'
  if (typeof item === 'string') return quoted(escaped(item))
  if (item instanceof Uint8Array) return `"\\\\x${bufferOf(item).toString('hex')}"`
  return Array.isArray(item) ? arrayText(item) : String(item)
}

function bufferOf(bytes: Uint8Array): Buffer {
  return Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes)
}

function quoted(text: string): string {
  return `"${text.replaceAll(/["\\]/g, '\\$&')}"`
}

function integer(text: string): number {
  const value = Number(text)
  if (!Number.isSafeInteger(value)) throw new Error(`the database answered ${text}, which is no safe integer`)
  return value
}

function uuid(text: string): string {
  return text.replaceAll('-', '')
}

/** JSON that the database made of columns. */
function json(text: string): unknown {
  return JSON.parse(text, (_, value: unknown) => (typeof value === 'string' ? original(value) : value))
}

const { builtins } = pg.types
/** The type `text[]`, which the driver parses but does not name. */
const TEXT_ARRAY: number = 1009

type Parse = (text: string) => unknown
const typeParser = pg.types.getTypeParser as (oid: number, format?: 'text') => Parse
const textArray = typeParser(TEXT_ARRAY) as (text: string) => readonly (string | null)[]

const PARSERS: ReadonlyMap<number, Parse> = new Map<number, Parse>([
  [builtins.INT8, integer],
  [builtins.NUMERIC, BigInt],
  [builtins.UUID, uuid],
  [builtins.TEXT, original],
  [TEXT_ARRAY, (text) => textArray(text).map((item) => (item === null ? null : original(item)))],
  [builtins.JSON, json],
])

/** The driver's `types`: how columns become values. */
export const COLUMN_TYPES: pg.CustomTypesConfig = {
  getTypeParser: ((oid: number, format?: 'text') =>
    PARSERS.get(oid) ?? typeParser(oid, format)) as pg.CustomTypesConfig['getTypeParser'],
}
