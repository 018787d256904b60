import { type FailedDelivery, failureShown } from '../../domain/event.js'
import { type Outcome, succeed } from '../../domain/failure.js'
import { ID } from '../../domain/id.js'
import { afterSetBack, isUsedUp, judgeRedelivery, type RetryDecision } from '../../domain/retry.js'
import { type Delivery, type DeliveryResult, isDelivered } from '../../domain/webhook.js'
import type { OwedDelivery, Redelivery } from '../outbox.js'
import type { Awaitable } from '../reading.js'
import type { Asking } from './asking.js'
import { askBoth } from './together.js'

/*
 * The life of a delivery:
 *
 *     queued ──► attempted ──► settled
 *       ▲            │            │
 *       ├─ waiting ◄─┘            │
 *       └── redelivered ◄─────────┘
 *
 * Each step leads from a delivery to what it has become. An engine writes that, and tells the owner of a failure in the same
 * transaction. Marking a delivery attempted is the engine's own: a database does it in the statement that looks.
 */

/** What became of a delivery. */
export interface Next {
  readonly delivery: Delivery
  /** What its owner is told; null unless it is not attempted again although its last attempt failed. */
  readonly failed: FailedDelivery | null
}

/** Ends the attempt in progress. A result for another one would send the delivery again, or replace its result. */
export function endAttempt(delivery: Delivery, result: DeliveryResult, retry: RetryDecision): Next {
  if (delivery.state !== 'attempted') throw new Error('a delivery that is not being attempted has no result')
  const nextAttemptAt = retry(delivery, result)
  if (nextAttemptAt !== null) return goesOn({ ...delivery, state: 'waiting', nextAttemptAt, result })
  const settled: Delivery = { ...delivery, state: 'settled', nextAttemptAt, result }
  return isDelivered(result) ? goesOn(settled) : failedFor(settled)
}

/** Queues a delivery that is due, or settles it where it has had its attempts: the operator has lowered their number. */
export function release(delivery: Delivery, attemptsMax: number): Next {
  if (isUsedUp(delivery, attemptsMax)) return failedFor({ ...delivery, state: 'settled', nextAttemptAt: null })
  return goesOn({ ...delivery, state: 'queued', nextAttemptAt: null })
}

/** What an engine does to queue a delivery once more, inside a transaction. */
export interface RedeliveryWork {
  readClock(): Awaitable<number>
  /** A delivery, which nobody else changes until the commit. */
  delivery(id: string): Awaitable<Delivery | undefined>
  /** Writes a delivery that is queued now. `before` is the delivery as it was. */
  queue(delivery: Delivery, before: Delivery): OwedDelivery
}

/** Queues a delivery whose attempts are over, or that waits for another; its attempts are counted from 0 again. `id`: as a client names it. */
export function* redeliver(outbox: RedeliveryWork, owner: string, id: string): Asking<Outcome<Redelivery>> {
  const [known, nowMs] = yield* askBoth(ID.test(id) ? outbox.delivery(id) : undefined, outbox.readClock())
  const judged = judgeRedelivery(known, owner, nowMs)
  if (!judged.ok) return judged
  const before = judged.value
  const delivery: Delivery = { ...before, state: 'queued', attemptsBefore: before.attempts, nextAttemptAt: null }
  return succeed({ delivery, owed: outbox.queue(delivery, before) })
}

/** Lets a delivery wait no longer than it was to wait although the clock was set back; null where it need not change. */
export function adjust(delivery: Delivery, nowMs: number): Delivery | null {
  const adjusted = delivery.state === 'waiting' ? afterSetBack(delivery, nowMs) : null
  return adjusted === null ? null : { ...delivery, ...adjusted }
}

/** Attempts that are ended in one transaction at start. */
const INTERRUPTED_BATCH = 1000

/** Ends all attempts that were interrupted: `settleSome` ends up to `limit`, and answers how many there were. */
export async function settleAll(settleSome: (limit: number) => Promise<number>): Promise<number> {
  let settled = 0
  for (;;) {
    const count = await settleSome(INTERRUPTED_BATCH)
    settled += count
    if (count < INTERRUPTED_BATCH) return settled
  }
}

function goesOn(delivery: Delivery): Next {
  return { delivery, failed: null }
}

function failedFor(delivery: Delivery): Next {
  const { id, status, event, attempts, result } = delivery
  return { delivery, failed: { id, status, attempt: attempts, ...failureShown(result), event } }
}
