/**
 * Checks of what a TRON node answered, value by value. Each throws `BadAnswer` with `what` was asked for. Nodes leave out
 * what has its default value (protocol buffers), so a missing integer is 0 and a missing list is empty.
 */

import { isObject } from '../../base/json-object.js'
import { BadAnswer } from '../node/node-failure.js'

export function demand(holds: boolean, flaw: string): asserts holds {
  if (!holds) throw new BadAnswer(flaw)
}

export function objectOf(value: unknown, what: string): Readonly<Record<string, unknown>> {
  demand(isObject(value), `${what}: not an object`)
  return value
}

export function listOf(value: unknown, what: string): readonly unknown[] {
  if (value === undefined) return []
  demand(Array.isArray(value), `${what}: not a list`)
  return value
}

/** A text that has the form. */
export function textOf(value: unknown, form: RegExp, what: string): string {
  demand(typeof value === 'string' && form.test(value), `${what}: not a text of the form ${form.source}`)
  return value
}

/** An integer that is not negative. */
export function integerOf(value: unknown, what: string): bigint {
  if (value === undefined) return 0n
  const isInteger = typeof value === 'bigint' || (typeof value === 'number' && Number.isSafeInteger(value))
  demand(isInteger, `${what}: not an integer`)
  demand(value >= 0, `${what}: a negative number`)
  return BigInt(value)
}
