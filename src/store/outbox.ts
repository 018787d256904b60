import type { Outcome } from '../domain/failure.js'
import type { RetryDecision } from '../domain/retry.js'
import type { Delivery, DeliveryResult } from '../domain/webhook.js'
import type { Awaitable, Page, PageOf } from './reading.js'

/** Names a lane of the outbox, opaque: deliveries of one owner to one origin (scheme, host, port). Hex. */
export type LaneKey = string

/** A lane and the owner of its deliveries. */
export interface LaneOfOwner {
  readonly lane: LaneKey
  readonly owner: string
}

/** A delivery that has become due, and the lane that it waits in. */
export interface OwedDelivery extends LaneOfOwner {
  /** `BEHIND_ALL` where nobody knows more than that it is new. */
  readonly id: string
}

/** Stands for the id of a delivery that is behind all which a reader of its lane has seen. */
export const BEHIND_ALL = 'f'.repeat(32)

/** The place of a delivery among those that wait for another attempt. */
export interface WaitingDelivery {
  /** Unix ms. */
  readonly dueAt: number
  readonly id: string
}

/** A delivery that was queued once more. */
export interface Redelivery {
  readonly delivery: Delivery
  readonly owed: OwedDelivery
}

/** How many deliveries are not settled, by their state. */
export type OutboxDepth = Readonly<Record<Exclude<Delivery['state'], 'settled'>, number>>

/** The result of a search for the oldest delivery in some lanes of the outbox. */
export interface OldestQueued {
  /** When the oldest of their queued deliveries was caused, Unix ms; null when the lanes are empty. */
  readonly createdAt: number | null
  /** The last lane that was searched, to continue after it; null when it was the last of all. */
  readonly next: LaneKey | null
}

/** Deliveries of webhooks: queued, attempted, waiting for a retry, settled. `CommandPort` queues them with their deposits. */
export interface OutboxPort {
  find(id: string): Awaitable<Delivery | undefined>
  /** The deliveries of an owner, newest first; cursors are delivery ids. */
  page(owner: string, page: Page): Awaitable<PageOf<Delivery>>
  /** The cursor that a page ends with, without reading its deliveries. */
  nextOf(owner: string, page: Page): Awaitable<string | null>
  /** Lanes that have deliveries to attempt: where a dispatcher begins. */
  queuedLanes(): Awaitable<readonly LaneOfOwner[]>
  /** Deliveries of a lane that have not been attempted, oldest first, behind the delivery `after`. */
  queued(lane: LaneKey, after: string | null, limit: number): Awaitable<readonly Delivery[]>
  /** Marks a delivery attempted before it is sent. Answers whether it was still queued. */
  markAttempted(id: string): Promise<boolean>
  /**
   * Ends the attempt of a delivery that was marked attempted: it waits for the time that `retry` decides, or is settled
   * when that is never. Answers that time.
   */
  recordResult(id: string, result: DeliveryResult, retry: RetryDecision): Promise<number | null>
  /**
   * Ends the attempts that were in progress when the process last died, with the result `interrupted`. Without retries
   * none is sent again. Answers how many there were.
   */
  settleInterrupted(retry: RetryDecision): Promise<number>
  /** When the first of the deliveries that wait for another attempt is due; null when none waits. */
  nextRetryAt(): Awaitable<number | null>
  /**
   * Lets deliveries wait no longer than they were to wait although the clock was set back since (`afterSetBack`). Examines the next
   * `limit` that wait, those due first before others, behind `after`. Answers the last one, to continue after it; null when it was
   * the last of all.
   */
  adjustRetries(after: WaitingDelivery | null, limit: number): Promise<WaitingDelivery | null>
  /**
   * Queues up to `limit` waiting deliveries that are due, the longest due first. One that has had `attemptsMax` attempts
   * already is settled instead.
   */
  releaseRetries(attemptsMax: number, limit: number): Promise<readonly OwedDelivery[]>
  /**
   * Queues a delivery of the owner once more, whose attempts are over or that waits for another. Refuses with
   * `delivery_not_found`, `delivery_in_progress` or `too_many_redeliveries`.
   */
  redeliver(owner: string, id: string, trace?: string): Promise<Outcome<Redelivery>>
  /**
   * Removes deliveries that were settled before `timeMs`, Unix ms: examines the next `limit`, oldest first, and answers
   * how many it removed. A delivery that is not settled stays. After the youngest of that age it starts over.
   */
  removeSettledBefore(timeMs: number, limit: number): Promise<number>
  /** Counts without reading the deliveries. */
  depth(): Awaitable<OutboxDepth>
  /** The oldest of the queued deliveries in at most `lanes` lanes behind `after`. */
  oldestQueued(after: LaneKey | null, lanes: number): Awaitable<OldestQueued>
}
