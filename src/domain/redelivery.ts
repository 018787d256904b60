import { type Outcome, refuse, retryLater, succeed } from './failure.js'
import type { Delivery } from './webhook.js'

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
