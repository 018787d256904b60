/** The values of Ethereum's JSON-RPC. Each throws `BadAnswer` for any other form. */

import { demand, textOf } from '../node/answer.js'

const QUANTITY = /^0x[0-9a-fA-F]{1,64}$/
const HASH = /^0x[0-9a-fA-F]{64}$/
const ADDRESS = /^0x[0-9a-fA-F]{40}$/
const DATA = /^0x(?:[0-9a-fA-F]{2})*$/
/** Heights, indexes and times are far below; the store can still hold a time of this many seconds in milliseconds. */
const COUNT_MAX = 0xffff_ffff

/** An unsigned integer of at most 256 bits. */
export function quantityOf(value: unknown, what: string): bigint {
  return BigInt(textOf(value, QUANTITY, what))
}

/** A height, an index, or a time in seconds. */
export function countOf(value: unknown, what: string): number {
  const count = Number(textOf(value, QUANTITY, what))
  demand(count <= COUNT_MAX, `${what}: too large`)
  return count
}

/** 32 bytes in lower case, so that nodes with another spelling do not make two deposits of one. */
export function hashOf(value: unknown, what: string): string {
  return textOf(value, HASH, what).toLowerCase()
}

/** 20 bytes in lower case. */
export function addressOf(value: unknown, what: string): string {
  return textOf(value, ADDRESS, what).toLowerCase()
}

/** Any bytes in lower case. */
export function dataOf(value: unknown, what: string): string {
  return textOf(value, DATA, what).toLowerCase()
}

/** The protocol's notation of a number. */
export function quantityText(value: number): string {
  return `0x${value.toString(16)}`
}
