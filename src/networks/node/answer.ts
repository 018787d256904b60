/** The ways in which a node fails to answer, and checks of what it answers. */

import type { ProblemReason } from '../problem-reason.js'
import { askedWaitMs, askedWaitOfAnswerMs, isLimitingStatus, isLimitingText } from './rate-refusal.js'

/** A failure of a node, or of the way to it. Another endpoint may succeed, and so may a later retry. */
export abstract class NodeFailure extends Error {
  /** The method or path that was asked; null where several answers do not fit together. */
  question: string | null = null
}

/** Notes what was asked with a failure, and passes it on. */
export function failedAt(question: string, error: unknown): unknown {
  if (error instanceof NodeFailure) error.question ??= question
  return error
}

/**
 * `connection`: no answer came, or only a part of one. `timeout`: the answer was not complete in time. `status`: another HTTP
 * status than 2xx. `too_long`: more bytes than are read. `not_json`: not JSON.
 */
export type HttpFailureReason = 'connection' | 'timeout' | 'status' | 'too_long' | 'not_json'

/** What came with a failure. */
export interface Refusal {
  /** The HTTP status when one came. */
  readonly status?: number
  /** How long the node asks to wait, in milliseconds, not bounded; null when it does not ask. */
  readonly retryAfterMs?: number | null
  /** The words of the answer, fit for a log; null when there are none. */
  readonly said?: string | null
  /** The answer where it is short and JSON; undefined otherwise. */
  readonly answer?: unknown
}

/** A request without a JSON answer, or with one that an HTTP status calls an error. */
export class HttpFailure extends NodeFailure {
  override readonly name = 'HttpFailure'
  readonly status: number | null
  readonly retryAfterMs: number | null
  readonly said: string | null
  readonly answer: unknown

  constructor(
    readonly reason: HttpFailureReason,
    message: string,
    { status, retryAfterMs, said, answer }: Refusal = {},
  ) {
    super(message)
    this.status = status ?? null
    this.retryAfterMs = retryAfterMs ?? null
    this.said = said ?? null
    this.answer = answer
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

/** The node's own protocol reported that the client has asked too often. */
export class RateLimited extends NodeFailure {
  override readonly name = 'RateLimited'

  constructor(
    message: string,
    /** How long the node asks to wait, in milliseconds, not bounded; null when it does not say. */
    readonly retryAfterMs: number | null = null,
  ) {
    super(message)
  }
}

/** The node has refused a call for its rate at every pace: it may do so with this method only. */
export class RefusedAgain extends NodeFailure {
  override readonly name = 'RefusedAgain'
}

/** The node lacks what the settings ask of it. It lasts until somebody acts. */
export class UnfitNode extends NodeFailure {
  override readonly name = 'UnfitNode'

  constructor(
    readonly reason: ProblemReason,
    message: string,
    /** Where its history begins, when that is the problem. */
    readonly historyFrom?: number,
  ) {
    super(message)
  }
}

/** The node has a block, and has lost for good what happened in it. Another node may know it. */
export class ForgottenBlock extends UnfitNode {
  constructor(message: string) {
    super('pruned', message)
  }
}

/** A block, or its receipts, that the node ought to have is missing. */
export class MissingBlock extends NodeFailure {
  override readonly name = 'MissingBlock'
}

/** JSON with the wrong content: wrong types, missing parts, or parts that contradict each other. */
export class BadAnswer extends NodeFailure {
  override readonly name = 'BadAnswer'
}

/**
 * How long a node that refuses a client for its rate asks to wait, in milliseconds, 0 when it does not say. Null for every
 * other failure.
 */
export function limitOf(failure: unknown): number | null {
  if (failure instanceof RateLimited) return failure.retryAfterMs ?? 0
  if (!(failure instanceof HttpFailure)) return null
  const { status, retryAfterMs, said, answer } = failure
  // Some say it in a text or a page, with the status of an answer.
  const isLimit = status === null ? said !== null && isLimitingText(said) : isLimitingStatus(status, retryAfterMs, said)
  if (!isLimit) return null
  return Math.max(retryAfterMs ?? 0, askedWaitMs(said ?? '') ?? 0, askedWaitOfAnswerMs(answer) ?? 0)
}

/**
 * Whether a smaller or another query may succeed where this one failed: always, unless the node turns its client away or
 * there is no way to it. Nodes refuse what they cannot do in too many ways to list them.
 */
export function mayDoOtherwise(failure: unknown): failure is NodeFailure {
  if (!(failure instanceof NodeFailure) || limitOf(failure) !== null) return false
  return !(failure instanceof HttpFailure && failure.reason === 'connection')
}

/** What a failed query for a block says of the block. `lacking`: the node says that it has none, and may be behind. */
export type BlockVerdict = 'unreadable' | 'lacking' | 'limited' | 'nothing'

export function verdictOf(failure: unknown): BlockVerdict {
  if (limitOf(failure) !== null) return 'limited'
  if (failure instanceof MissingBlock) return 'lacking'
  if (failure instanceof ForgottenBlock) return 'unreadable'
  return mayDoOtherwise(failure) && !(failure instanceof UnfitNode) ? 'unreadable' : 'nothing'
}

/** The codes of JSON-RPC for a method that is not there, of three families of nodes, and how nodes word it otherwise. */
const MISSING_METHOD_CODES: readonly number[] = [-32_601, -32_004, -32_700]
/** HTTP statuses of a failure that is the server's. */
const SERVER_ERRORS_FROM = 500
const MISSING_METHOD_STATUSES: readonly (number | null)[] = [404, 405, 501]
const MISSING_METHOD_TEXT =
  /(?:un(?:known|supported)|no such|invalid) (?:rpc )?method|(?:method|api)\b.{0,80}(?:not (?:found|available|supported|exist|allowed|enabled|implemented|whitelisted)|does not exist|unavailable|unsupported|disabled|is closed)|not implemented/i

/** Whether a node says that it does not offer what was asked for. */
export function isMissingMethod(failure: unknown): failure is NodeFailure {
  if (failure instanceof RpcFailure) {
    return MISSING_METHOD_CODES.includes(failure.code) || MISSING_METHOD_TEXT.test(failure.message)
  }
  if (!(failure instanceof HttpFailure)) return false
  return MISSING_METHOD_STATUSES.includes(failure.status) || MISSING_METHOD_TEXT.test(failure.said ?? '')
}

/**
 * Whether the same call may succeed at once: behind one address there may be several machines, of which one is down or behind.
 * Not where the node says that it does not do this, or turns its client away.
 */
export function mayBeOfOneMachine(failure: unknown): failure is NodeFailure {
  if (limitOf(failure) !== null || isMissingMethod(failure)) return false
  if (failure instanceof RpcFailure) return true
  if (!(failure instanceof HttpFailure)) return false
  const { reason, status } = failure
  return reason === 'connection' || reason === 'not_json' || (status !== null && status >= SERVER_ERRORS_FROM)
}

/** Throws `BadAnswer` unless a condition holds. */
export function demand(holds: boolean, flaw: string): asserts holds {
  if (!holds) throw new BadAnswer(flaw)
}
