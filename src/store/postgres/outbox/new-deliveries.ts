import { hash } from 'node:crypto'
import { TIME_DIGITS } from '../../../domain/id.js'
import { type NewDelivery, originOf } from '../../../domain/webhook.js'
import { type Fragment, sql } from '../connection/sql.js'

/*
 * Deliveries are queued in the transaction of the deposit that caused them, or in one that queues events. Their ids are greater than those of all
 * earlier deliveries, and of the present time if possible: a reader that has come to an id finds the `confirmed` of a deposit behind
 * its `pending`. The row of `delivery_head` orders them. It stays locked until the commit, so the last statements take it, and none of
 * them waits for an answer, but for what a delivery shows. So the database moves the ids of a unit behind those of all others, where the clock does not do so.
 */

const LANE_HEX_LENGTH = 32
const LANE_SEPARATOR = '\n'

/** The time of an id, as hex digits and as a number. */
const timeHex = (id: Fragment) => sql`left(replace(${id}::text, '-', ''), ${TIME_DIGITS}::integer)`
const timeOf = (id: Fragment) => sql`('x' || ${timeHex(id)})::bit(48)::bigint`

/**
 * Takes the head for new deliveries, whose ids are of one time and ascend. Answers the id that the last one gets: its own, or one of a later
 * time, so that all are behind the deliveries that are there.
 */
export function takeHead(ids: readonly string[]): Fragment {
  const [first = '', last = ''] = [ids[0], ids.at(-1)]
  return sql`
    INSERT INTO delivery_head AS head (singleton, newest) VALUES (true, ${last}::uuid)
    ON CONFLICT (singleton) DO UPDATE SET newest = CASE WHEN head.newest < ${first}::uuid THEN excluded.newest
      ELSE (lpad(to_hex(${timeOf(sql`head.newest`)} + 1), ${TIME_DIGITS}::integer, '0') || ${behindTime(last)})::uuid END
    RETURNING newest`
}

/** The ids that new deliveries get, by the one that the last of them gets. */
export function movedBehind(ids: readonly string[], newest: string): readonly string[] {
  const time = newest.slice(0, TIME_DIGITS)
  return ids.map((id) => time + behindTime(id))
}

function behindTime(id: string): string {
  return id.slice(TIME_DIGITS)
}

/** A delivery with the lane that it is queued in. */
export interface LanedDelivery extends NewDelivery {
  readonly lane: string
}

/** Enters deliveries under the ids that they get from the head, which is taken for them. */
export function enterDeliveries(ids: readonly string[], deliveries: readonly LanedDelivery[], nowMs: number): Fragment {
  const column = <T>(of: (delivery: LanedDelivery) => T) => deliveries.map(of)
  return sql`
    INSERT INTO deliveries (id, owner, lane, invoice_id, status, event_id, event_type, url, body, state, created_at, attempts, attempts_before)
    SELECT (head.time || new.id)::uuid, owner, lane, invoice_id, status, event_id, event_type, url, body, 'queued', ${nowMs}::bigint, 0, 0
    FROM (SELECT ${timeHex(sql`newest`)} AS time FROM delivery_head WHERE singleton OFFSET 0) AS head CROSS JOIN unnest(
      ${ids.map(behindTime)}::text[], ${column(({ owner }) => owner)}::text[], ${column(({ lane }) => lane)}::text[],
      ${column(({ invoiceId }) => invoiceId)}::text[], ${column(({ status }) => status)}::text[],
      ${column(({ event }) => event?.id ?? null)}::text[], ${column(({ event }) => event?.type ?? null)}::text[],
      ${column(({ url }) => url)}::text[], ${column(({ body }) => body)}::text[]
    ) AS new (id, owner, lane, invoice_id, status, event_id, event_type, url, body)`
}

/** Names a lane: the owner, and the scheme, host and port of its receiver. URLs that are none have a lane of their own. */
export function laneOf(owner: string, url: string): string {
  const name = owner + LANE_SEPARATOR + (originOf(url) ?? '')
  return hash('sha256', name).slice(0, LANE_HEX_LENGTH)
}

/** Queues deliveries in their lanes. Those of a deposit are in one lane. */
export function laned(deliveries: readonly NewDelivery[]): readonly LanedDelivery[] {
  let last: LanedDelivery | null = null
  return deliveries.map((delivery) => {
    const { owner, url } = delivery
    const lane: string = last?.owner === owner && last.url === url ? last.lane : laneOf(owner, url)
    last = { ...delivery, lane }
    return last
  })
}
