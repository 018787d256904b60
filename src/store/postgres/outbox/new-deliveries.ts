import { hash } from 'node:crypto'
import { type NewDelivery, originOf } from '../../../domain/webhook.js'
import { type Fragment, sql } from '../connection/sql.js'

/*
 * Deliveries are queued in the transaction of the deposit that caused them, or in one that queues events. Their ids are greater than those of all
 * earlier deliveries, and of the present time if possible: a reader that has come to an id finds the `confirmed` of a deposit behind
 * its `pending`. The row of `delivery_head` orders them. It stays locked until the commit, so the last statements take it.
 */

const LANE_HEX_LENGTH = 32
const LANE_SEPARATOR = '\n'
const TIME_HEX_LENGTH = 12

/** Takes the head, and answers the id of the newest delivery, which is `own` if that is behind all others. */
export function takeHead(own: string): Fragment {
  return sql`
    INSERT INTO delivery_head AS head (singleton, newest) VALUES (true, ${own}::uuid)
    ON CONFLICT (singleton) DO UPDATE SET newest = greatest(head.newest, excluded.newest) RETURNING newest`
}

/** Lets the head, which is taken, be the id of the newest delivery. */
export function putHead(newest: string): Fragment {
  return sql`UPDATE delivery_head SET newest = ${newest}::uuid`
}

export function timeOfDeliveryId(id: string): number {
  return Number.parseInt(id.slice(0, TIME_HEX_LENGTH), 16)
}

/** A delivery with the lane that it is queued in. */
export interface LanedDelivery extends NewDelivery {
  readonly lane: string
}

/** Enters deliveries under their ids. */
export function enterDeliveries(ids: readonly string[], deliveries: readonly LanedDelivery[], nowMs: number): Fragment {
  const column = <T>(of: (delivery: LanedDelivery) => T) => deliveries.map(of)
  return sql`
    INSERT INTO deliveries (id, owner, lane, invoice_id, status, event_id, event_type, url, body, state, created_at, attempts, attempts_before)
    SELECT id, owner, lane, invoice_id, status, event_id, event_type, url, body, 'queued', ${nowMs}::bigint, 0, 0 FROM unnest(
      ${ids}::uuid[], ${column(({ owner }) => owner)}::text[], ${column(({ lane }) => lane)}::text[],
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
