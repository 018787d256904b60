import type { EventType } from '../../../domain/event.js'
import { type Fragment, sql } from '../connection/sql.js'

/*
 * What happened to each owner, in order (decisions 14). The number of an event is its time in ms × 65536 and a count, and
 * greater than that of the owner's previous event. The owner's row in `event_heads` hands the numbers out, and a transaction
 * that takes one keeps the row locked until it commits. So a reader that continues after a number misses nothing and reads
 * nothing twice.
 */

/** Events of one millisecond before the numbers run into the next one. */
export const NUMBERS_PER_MS = 65_536n

/** An event to enter. */
export interface LoggedEvent {
  readonly owner: string
  readonly type: EventType
  /** The id under which the store has the invoice; null for a deposit that is matched to none. */
  readonly invoiceId: string | null
  /** What else the event tells, as JSON; null for nothing. */
  readonly data: string | null
  /** The order that it is about; absent for an event of something else. */
  readonly orderId?: string
}

/** Hands numbers out to so many events of each owner. */
export function takeNumbers(events: ReadonlyMap<string, number>, nowMs: number): Fragment {
  const first = BigInt(nowMs) * NUMBERS_PER_MS
  const owners = [...events.keys()].sort()
  const lasts = owners.map((owner) => first + BigInt((events.get(owner) ?? 0) - 1))
  return sql`
    INSERT INTO event_heads AS h (owner, last)
    SELECT owner, last FROM unnest(${owners}::text[], ${lasts}::bigint[]) AS taken (owner, last) ORDER BY owner
    ON CONFLICT (owner) DO UPDATE SET last = greatest(excluded.last, h.last + (excluded.last - ${first}::bigint + 1))`
}

/** How many events each owner has. */
export function countByOwner(events: readonly LoggedEvent[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>()
  for (const { owner } of events) counts.set(owner, (counts.get(owner) ?? 0) + 1)
  return counts
}

/**
 * Enters events, those of each owner in the order given, under the numbers that `takeNumbers` has handed out: the last of an owner has the
 * last number.
 */
export function enterEvents(events: readonly LoggedEvent[]): Fragment {
  const left = new Map(countByOwner(events))
  const behind = events.map(({ owner }) => {
    const others = (left.get(owner) ?? 0) - 1
    left.set(owner, others)
    return others
  })
  return sql`
    INSERT INTO owner_events (owner, number, type, invoice_id, data, order_id)
    SELECT new.owner, h.last - new.behind, new.type, new.invoice_id, new.data, new.order_id FROM unnest(
      ${events.map(({ owner }) => owner)}::text[], ${behind}::bigint[], ${events.map(({ type }) => type)}::text[],
      ${events.map(({ invoiceId }) => invoiceId)}::uuid[], ${events.map(({ data }) => data)}::text[],
      ${events.map(({ orderId = null }) => orderId)}::uuid[]
    ) AS new (owner, behind, type, invoice_id, data, order_id) JOIN event_heads AS h ON h.owner = new.owner`
}
