import { type Outcome, refuse, retryLater, succeed } from './failure.js'
import type { Delivery } from './webhook.js'

/** Between two redeliveries of one delivery, from the attempt of the first. The first one of all need not wait. */
const REDELIVERY_PAUSE_MS = 60_000
const MS_PER_SECOND = 1000

/** How long the owner has to wait before the delivery is sent again, in ms; 0 when it may be at once. */
export function redeliveryWaitMs(delivery: Pick<Delivery, 'attemptsBefore' | 'attemptedAt'>, nowMs: number): number {
  const { attemptsBefore, attemptedAt } = delivery
  if (attemptsBefore === 0 || attemptedAt === null) return 0
  // A clock that was set back makes nobody wait longer.
  return Math.min(REDELIVERY_PAUSE_MS, Math.max(0, attemptedAt + REDELIVERY_PAUSE_MS - nowMs))
}

/** Whether the owner may have the delivery sent again: it is theirs, its attempt is over, and not too soon. */
export function judgeRedelivery(delivery: Delivery | undefined, owner: string, nowMs: number): Outcome<Delivery> {
  if (delivery === undefined || delivery.owner !== owner) return refuse('delivery_not_found')
  if (delivery.state === 'queued' || delivery.state === 'attempted') return refuse('delivery_in_progress')
  const waitMs = redeliveryWaitMs(delivery, nowMs)
  if (waitMs === 0) return succeed(delivery)
  return { ok: false, failure: retryLater('too_many_redeliveries', Math.ceil(waitMs / MS_PER_SECOND)) }
}
