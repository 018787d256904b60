/** Reads the values of Ethereum's JSON-RPC. Whatever has another form than the protocol's is a `BadAnswer`. */

import { isObject } from '../../base/json-object.js'
import { BadAnswer } from '../node/node-failure.js'

const QUANTITY = /^0x[0-9a-fA-F]{1,64}$/
const HASH = /^0x[0-9a-fA-F]{64}$/
const ADDRESS = /^0x[0-9a-fA-F]{40}$/
const DATA = /^0x(?:[0-9a-fA-F]{2})*$/
/** Heights, indexes and times are far below; a millisecond time of this many seconds still fits the store. */
const COUNT_MAX = 0xffff_ffff

export type Fields = Readonly<Record<string, unknown>>

export function fieldsOf(value: unknown, what: string): Fields {
  if (!isObject(value)) throw new BadAnswer(`${what} is no object`)
  return value
}

export function listOf(value: unknown, what: string): readonly unknown[] {
  if (!Array.isArray(value)) throw new BadAnswer(`${what} is no list`)
  return value
}

/** An unsigned integer of at most 256 bits. */
export function quantityOf(value: unknown, what: string): bigint {
  return BigInt(textOf(value, QUANTITY, what))
}

/** A height, an index, or a time in seconds. */
export function countOf(value: unknown, what: string): number {
  const count = Number(textOf(value, QUANTITY, what))
  if (count > COUNT_MAX) throw new BadAnswer(`${what} is too large`)
  return count
}

/** 32 bytes, in small letters: nodes that write them otherwise must not make two deposits of one. */
export function hashOf(value: unknown, what: string): string {
  return textOf(value, HASH, what).toLowerCase()
}

/** 20 bytes, in small letters. */
export function addressOf(value: unknown, what: string): string {
  return textOf(value, ADDRESS, what).toLowerCase()
}

/** Any bytes, in small letters. */
export function dataOf(value: unknown, what: string): string {
  return textOf(value, DATA, what).toLowerCase()
}

/** As the protocol writes numbers. */
export function quantityText(value: number): string {
  return `0x${value.toString(16)}`
}

function textOf(value: unknown, form: RegExp, what: string): string {
  if (typeof value !== 'string' || !form.test(value)) throw new BadAnswer(`${what} has not the right form`)
  return value
}
