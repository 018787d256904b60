/** Checks of a node's answers. Each throws `BadAnswer`, naming `what` was expected. */

import { isObject } from '../../base/json-object.js'
import { BadAnswer } from './node-failure.js'

export function demand(holds: boolean, flaw: string): asserts holds {
  if (!holds) throw new BadAnswer(flaw)
}

export function objectOf(value: unknown, what: string): Readonly<Record<string, unknown>> {
  demand(isObject(value), `${what}: not an object`)
  return value
}

export function listOf(value: unknown, what: string): readonly unknown[] {
  demand(Array.isArray(value), `${what}: not a list`)
  return value
}

/** A text of the given form. */
export function textOf(value: unknown, form: RegExp, what: string): string {
  demand(typeof value === 'string' && form.test(value), `${what}: not a text of the form ${form.source}`)
  return value
}
