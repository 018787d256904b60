/** The values of TRON's REST interface. Nodes omit default values (protocol buffers): a missing integer is 0. */

import { demand, listOf } from '../node/values.js'

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
