import type { OwedDelivery } from './outbox.js'
import type { Awaitable } from './reading.js'

/** Up to where the events of an owner have been queued as deliveries. Ids of events, or of none yet. */
export interface EventCursor {
  /** The last event that was queued, or passed over. */
  readonly after: string
  /** The last event that is to be sent: the owner has chosen another payload since. Null while events are sent. */
  readonly until: string | null
}

/** Events that were removed before they could be queued: those behind one, up to another. */
export interface UnsentEvents {
  readonly behind: string
  readonly to: string
}

/** What a piece of work has queued. */
export interface QueuedEvents {
  readonly owed: readonly OwedDelivery[]
  /** Whether the owner may have more events to queue. */
  readonly isMore: boolean
  /** What the retention removed before it was sent; null in ordinary life. */
  readonly lost: UnsentEvents | null
}

/** Owners whose events wait. */
export interface OwnersBehind {
  readonly owners: readonly string[]
  /** Continues the search; null when it has come to the end. */
  readonly next: string | null
}

/**
 * Turns the logs of owners with the payload `events` into deliveries (decisions 7). How far each log has been turned is durable: a
 * process that ends, or another one that takes over, loses no event and queues none twice.
 */
export interface EventOutboxPort {
  /** Owners who have events to be queued, among the next `limit` with that payload, behind the opaque cursor `after`. */
  behind(after: string | null, limit: number): Awaitable<OwnersBehind>
  /**
   * Reads the next events of an owner, at most `limit`, queues a delivery for each that is to be sent, and notes how far it is, all in
   * one transaction.
   */
  queueNext(owner: string, limit: number): Promise<QueuedEvents>
}
