import { type Outcome, refuse, retryLater, succeed } from './failure.js'
import { type Delivery, type DeliveryResult, isDelivered } from './webhook.js'

/** Upper bound of the first pause; each further one is `BACKOFF_FACTOR` times as long, up to `BACKOFF_MAX_MS`. */
export const BACKOFF_FIRST_MS = 5000
export const BACKOFF_FACTOR = 4
export const BACKOFF_MAX_MS = 60 * 60 * 1000

/** The longest pause that a receiver can request, so that it cannot park a delivery for ever. */
export const RETRY_AFTER_MAX_MS = 24 * 60 * 60 * 1000

/** The receiver is gone for good (RFC 9110, 15.5.11), which ends the attempts (Standard Webhooks). */
const GONE = 410

/** Decides inside the store's transaction when a delivery with this result is retried: Unix ms, or null for never. */
export type RetryDecision = (delivery: Delivery, result: DeliveryResult) => number | null

/** The number of attempts of a delivery, and the randomness that spreads retries over time. */
export interface RetryPolicy {
  /** At least 1, which means no retries. */
  readonly attemptsMax: number
  /** A uniform number from 0 to below 1. */
  readonly random: () => number
}

/** The specified default (specification, Limits). */
export const ONE_ATTEMPT: RetryPolicy = { attemptsMax: 1, random: () => 0 }

/**
 * The time of the next attempt after `result`, in Unix ms; null if it was delivered, the receiver is gone, or all
 * attempts are used up. Exponential back-off with full jitter, and no earlier than a receiver's `Retry-After`, up to a
 * limit.
 */
export function nextAttemptAt(
  delivery: Pick<Delivery, 'attempts' | 'attemptsBefore'>,
  result: DeliveryResult,
  policy: RetryPolicy,
  nowMs: number,
): number | null {
  if (isDelivered(result) || (result.kind === 'answered' && result.httpStatus === GONE)) return null
  if (isUsedUp(delivery, policy.attemptsMax)) return null
  const pauseMs = Math.floor(policy.random() * backoffMs(attemptsOfRound(delivery)))
  const askedMs = result.kind === 'answered' ? (result.retryAfterMs ?? 0) : 0
  return nowMs + Math.max(pauseMs, Math.min(askedMs, RETRY_AFTER_MAX_MS))
}

/**
 * When a delivery is attempted again whose last attempt is in the future, because the clock was set back since: it waits from now on as
 * long as it was to wait. Null for every other one.
 */
export function afterSetBack(
  { attemptedAt, nextAttemptAt }: Pick<Delivery, 'attemptedAt' | 'nextAttemptAt'>,
  nowMs: number,
): { readonly attemptedAt: number; readonly nextAttemptAt: number } | null {
  if (attemptedAt === null || nextAttemptAt === null || attemptedAt <= nowMs) return null
  return { attemptedAt: nowMs, nextAttemptAt: nowMs + Math.max(0, nextAttemptAt - attemptedAt) }
}

/** Whether the delivery has used up its attempts. Each redelivery starts a new count. */
export function isUsedUp(delivery: Pick<Delivery, 'attempts' | 'attemptsBefore'>, attemptsMax: number): boolean {
  return attemptsOfRound(delivery) >= attemptsMax
}

function attemptsOfRound({ attempts, attemptsBefore }: Pick<Delivery, 'attempts' | 'attemptsBefore'>): number {
  return attempts - attemptsBefore
}

/** The longest pause after so many attempts. */
function backoffMs(attempts: number): number {
  return Math.min(BACKOFF_MAX_MS, BACKOFF_FIRST_MS * BACKOFF_FACTOR ** (attempts - 1))
}

/**
 * Minimum time between two redeliveries of one delivery, from the first one's attempt. The first redelivery need not
 * wait.
 */
const REDELIVERY_PAUSE_MS = 60_000
const MS_PER_SECOND = 1000

/** Milliseconds until the delivery may be redelivered; 0 if it may be now. */
export function redeliveryWaitMs(delivery: Pick<Delivery, 'attemptsBefore' | 'attemptedAt'>, nowMs: number): number {
  const { attemptsBefore, attemptedAt } = delivery
  if (attemptsBefore === 0 || attemptedAt === null) return 0
  // A clock that was set back must not lengthen the wait.
  return Math.min(REDELIVERY_PAUSE_MS, Math.max(0, attemptedAt + REDELIVERY_PAUSE_MS - nowMs))
}

/**
 * Checks that the owner may redeliver: the delivery is theirs, no attempt is in progress, and the last one is a minute
 * old.
 */
export function judgeRedelivery(delivery: Delivery | undefined, owner: string, nowMs: number): Outcome<Delivery> {
  if (delivery === undefined || delivery.owner !== owner) return refuse('delivery_not_found')
  if (delivery.state === 'queued' || delivery.state === 'attempted') return refuse('delivery_in_progress')
  const waitMs = redeliveryWaitMs(delivery, nowMs)
  if (waitMs === 0) return succeed(delivery)
  return { ok: false, failure: retryLater('too_many_redeliveries', Math.ceil(waitMs / MS_PER_SECOND)) }
}
