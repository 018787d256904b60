/** The values of TRON's REST interface. Nodes omit default values (protocol buffers): a missing integer is 0. */

import { parse } from 'lossless-json'
import { demand, listOf } from '../node/answer.js'

/** Where a number of 16 digits or more may stand, which may not fit a double. A match inside a string does no harm. */
const LONG_NUMBER = /[\s:,[-]\d{16}/
const INTEGER = /^-?\d{1,40}$/

/**
 * JSON with exact integers: numbers up to 15 digits, `bigint`s above. The exact parser takes five times as long, so it
 * reads only texts that need it. Throws for text that is not JSON or is nested too deeply.
 */
export function parseTronJson(text: string): unknown {
  return LONG_NUMBER.test(text) ? parse(text, null, parseNumber) : JSON.parse(text)
}

function parseNumber(text: string): number | bigint {
  const number = Number(text)
  return Number.isSafeInteger(number) || !INTEGER.test(text) ? number : BigInt(text)
}

/** A list; empty when it is missing. */
export function repeatedOf(value: unknown, what: string): readonly unknown[] {
  return value === undefined ? [] : listOf(value, what)
}

/** A non-negative integer. */
export function integerOf(value: unknown, what: string): bigint {
  if (value === undefined) return 0n
  const isInteger = typeof value === 'bigint' || (typeof value === 'number' && Number.isSafeInteger(value))
  demand(isInteger && value >= 0, `${what}: not a non-negative integer`)
  return BigInt(value)
}
