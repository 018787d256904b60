/** The ways in which a node fails to answer, and checks of what it answers. */

import { isObject } from '../../base/json-object.js'

/** A failure of a node, or of the way to it. Another endpoint may succeed, and so may a later retry. */
export abstract class NodeFailure extends Error {}

/**
 * `connection`: no answer came. `timeout`: the answer was not complete in time. `status`: another HTTP status than 2xx.
 * `too_long`: more bytes, values or levels than allowed. `not_json`: not JSON.
 */
export type HttpFailureReason = 'connection' | 'timeout' | 'status' | 'too_long' | 'not_json'

/** A request without a JSON answer. */
export class HttpFailure extends NodeFailure {
  override readonly name = 'HttpFailure'

  constructor(
    readonly reason: HttpFailureReason,
    message: string,
    /** The HTTP status when one came. */
    readonly status: number | null = null,
    /** How long the node asks to wait, in milliseconds, not bounded; null when it does not ask. */
    readonly retryAfterMs: number | null = null,
  ) {
    super(message)
  }
}

/** The node's own protocol reported that it cannot or will not answer. */
export class RpcFailure extends NodeFailure {
  override readonly name = 'RpcFailure'

  constructor(
    readonly code: number,
    message: string,
  ) {
    super(message)
  }
}

/** JSON with the wrong content: wrong types, missing parts, or parts that contradict each other. */
export class BadAnswer extends NodeFailure {
  override readonly name = 'BadAnswer'
}

/** Statuses with which nodes refuse queries that are too large, instead of an error of their own protocol. */
const TOO_LARGE_STATUSES: readonly (number | null)[] = [400, 413, 414, 422]

/** Whether a smaller query may succeed where this one failed. Nodes word it in too many ways to be sure. */
export function isPerhapsTooLarge(failure: unknown): boolean {
  if (failure instanceof HttpFailure) {
    return failure.reason === 'too_long' || TOO_LARGE_STATUSES.includes(failure.status)
  }
  return failure instanceof RpcFailure
}

/** Throws `BadAnswer` unless a condition holds, as do the following checks, which name `what` was expected. */
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
