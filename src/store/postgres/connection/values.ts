import pg from 'pg'
import type { Value } from './sql.js'

/*
 * How values cross the wire. PostgreSQL has no text with a NUL, and a client may send one in a name, so texts escape it.
 *
 *     bigint, count(*)    number: all of ours are times, numbers of rows or small
 *     numeric             bigint: all of ours are atoms or sums of them
 *     uuid                32 hex characters
 */

/** A value as the driver takes it. */
export function toWire(value: Value): unknown {
  if (typeof value === 'string') return escaped(value)
  if (value instanceof Uint8Array) return Buffer.isBuffer(value) ? value : Buffer.from(value)
  if (Array.isArray(value)) return arrayText(value)
  return value
}

/** An array as PostgreSQL reads it. The driver's own takes much longer, and statements are given hundreds of elements. */
function arrayText(items: readonly Value[]): string {
  let text = '{'
  for (const item of items) text += text.length === 1 ? elementText(item) : `,${elementText(item)}`
  return `${text}}`
}

function elementText(item: Value): string {
  if (item === null) return 'NULL'
  if (typeof item === 'string') return quoted(escaped(item))
  if (item instanceof Uint8Array) return quoted(`\\x${Buffer.from(item).toString('hex')}`)
  return Array.isArray(item) ? arrayText(item) : String(item)
}

/** Plain texts are replaced much faster than what an expression finds, and JSON has many quotes. */
function quoted(text: string): string {
  const safe = text.includes('\\') ? text.replaceAll('\\', '\\\\') : text
  return `"${safe.includes('"') ? safe.replaceAll('"', '\\"') : safe}"`
}

function escaped(text: string): string {
  return text.includes('\u0000') || text.includes('\u0001')
    ? text.replaceAll('\u0001', '\u00011').replaceAll('\u0000', '\u00010')
    : text
}

function original(text: string): string {
  return text.includes('\u0001') ? text.replaceAll('\u00010', '\u0000').replaceAll('\u00011', '\u0001') : text
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
