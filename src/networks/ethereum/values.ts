/** The values of Ethereum's JSON-RPC: checks that throw `BadAnswer`, and readings that are null for any other form. */

import { demand } from '../node/answer.js'
import { either, fields, items, type Scalar, scalar } from '../node/json-shape.js'

const QUANTITY = /^0x[0-9a-fA-F]{1,64}$/
const HASH = /^0x[0-9a-fA-F]{64}$/
const ADDRESS = /^0x[0-9a-fA-F]{40}$/
const DATA = /^0x(?:[0-9a-fA-F]{2})*$/
const MS_PER_SECOND = 1000
/** The store keeps times of 48 bits. */
const TIME_MAX_MS = 2 ** 48 - 1
/** The end of a second of the newest time must still be kept. */
const SECONDS_MAX = Math.floor(TIME_MAX_MS / MS_PER_SECOND) - 1

/** A value that an answer may have, or lack. */
export type Value = Scalar | undefined

/** That there is an object or a list, of which nothing is read. */
export const presence = either(
  fields({}),
  items(scalar, () => ({ take: () => {}, end: () => true })),
)

/** An unsigned integer of at most 256 bits. */
export function quantityOf(value: Value, what: string): bigint {
  return BigInt(textOf(value, QUANTITY, what))
}

/** The same, null for any other value. */
export function quantityIn(value: Value): bigint | null {
  return typeof value === 'string' && QUANTITY.test(value) ? BigInt(value) : null
}

/** A height. */
export function heightOf(value: Value, what: string): number {
  const count = Number(textOf(value, QUANTITY, what))
  demand(Number.isSafeInteger(count), `${what}: too large`)
  return count
}

/** A time in seconds, which the store can keep in milliseconds. */
export function timeMsOf(value: Value, what: string): number {
  const seconds = Number(textOf(value, QUANTITY, what))
  demand(seconds <= SECONDS_MAX, `${what}: too large`)
  return seconds * MS_PER_SECOND
}

/** 32 bytes in lower case, so that nodes with another spelling do not make two deposits of one. */
export function hashOf(value: Value, what: string): string {
  return textOf(value, HASH, what).toLowerCase()
}

/** The same, null for any other value. */
export function hashIn(value: Value): string | null {
  return typeof value === 'string' && HASH.test(value) ? value.toLowerCase() : null
}

/** 20 bytes in lower case, null for any other value. */
export function addressIn(value: Value): string | null {
  return typeof value === 'string' && ADDRESS.test(value) ? value.toLowerCase() : null
}

/** Any bytes in lower case. */
export function dataOf(value: Value, what: string): string {
  return textOf(value, DATA, what).toLowerCase()
}

/** The same, null for any other value. */
export function dataIn(value: Value): string | null {
  return typeof value === 'string' && DATA.test(value) ? value.toLowerCase() : null
}

/** The protocol's notation of a number. */
export function quantityText(value: number): string {
  return `0x${value.toString(16)}`
}

function textOf(value: Value, form: RegExp, what: string): string {
  demand(typeof value === 'string' && form.test(value), `${what}: not a text of the form ${form.source}`)
  return value
}
