import type { EventType } from '../../../domain/event.js'
import { type Fragment, sql } from '../connection/sql.js'

/*
 * What happened to each owner, in order (decisions 14). The number of an event is its time in ms × 65536 and a count, and
 * greater than that of the owner's event before: the row of the owner in `event_heads` hands the numbers out, and whoever has
 * taken one keeps that row until it commits. So a reader that goes on behind a number misses nothing and reads nothing twice.
 */

/** Events of one millisecond before the numbers run into the next one. */
export const NUMBERS_PER_MS = 65_536n

/** An event to enter. */
export interface LoggedEvent {
  readonly owner: string
  readonly type: EventType
  /** The id under which the store has the invoice; null for a deposit that notifies none. */
  readonly invoiceId: string | null
  /** What else the event tells, as JSON; null for nothing. */
  readonly data: string | null
}

/** Enters events, those of each owner in the order given. */
export function logEvents(events: readonly LoggedEvent[], nowMs: number): Fragment {
  const counts = new Map<string, number>()
  const places = events.map(({ owner }) => {
    const place = counts.get(owner) ?? 0
    counts.set(owner, place + 1)
    return place
  })
  const owners = [...counts.keys()].sort()
  const first = BigInt(nowMs) * NUMBERS_PER_MS
  return sql`
    WITH counted AS (
      SELECT * FROM unnest(${owners}::text[], ${owners.map((owner) => counts.get(owner) ?? 0)}::bigint[]) AS c (owner, events)
    ), head AS (
      INSERT INTO event_heads AS h (owner, last)
      SELECT owner, ${first}::bigint + events - 1 FROM counted ORDER BY owner
      ON CONFLICT (owner) DO UPDATE
        SET last = greatest(excluded.last, h.last + (excluded.last - ${first}::bigint + 1))
      RETURNING owner, last
    )
    INSERT INTO owner_events (owner, number, type, invoice_id, data)
    SELECT e.owner, head.last - counted.events + 1 + e.place, e.type, e.invoice_id, e.data
    FROM unnest(
      ${events.map(({ owner }) => owner)}::text[], ${places}::bigint[], ${events.map(({ type }) => type)}::text[],
      ${events.map(({ invoiceId }) => invoiceId)}::uuid[], ${events.map(({ data }) => data)}::text[]
    ) AS e (owner, place, type, invoice_id, data)
    JOIN counted ON counted.owner = e.owner JOIN head ON head.owner = e.owner`
}
