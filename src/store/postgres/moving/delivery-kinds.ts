import type { EventType } from '../../../domain/event.js'
import type { Delivery, WebhookPayload } from '../../../domain/webhook.js'
import type { EventCursor } from '../../event-outbox.js'
import type { MovedEvent, MovedWebhook } from '../../moving/records.js'
import { sql } from '../connection/sql.js'
import { toCursor } from '../events/event-cursors.js'
import { deliveryData, deliveryIn, depositData, readDepositData } from '../events/event-data.js'
import { idOf, numberOf } from '../events/event-port.js'
import { DELIVERY_COLUMNS, type DeliveryColumns, toDelivery } from '../outbox/delivery-rows.js'
import { laneOf } from '../outbox/new-deliveries.js'
import { typesOf, typesText } from '../webhooks.js'
import { behindPlace, bytesOf, type Column, insertInto, type PostgresMovedKind } from './moved-kind.js'

interface WebhookColumns {
  readonly owner: string
  readonly callback_url: string | null
  readonly secret: string
  readonly created_at: number
  readonly updated_at: number
  readonly payload: WebhookPayload
  readonly types: string | null
  readonly previous_secret: string | null
  readonly overlap_ends_at: number | null
  readonly after: bigint | null
  readonly until: bigint | null
}

const WEBHOOK: readonly Column<MovedWebhook>[] = [
  { name: 'owner', type: 'text', of: ({ owner }) => owner },
  { name: 'callback_url', type: 'text', of: ({ callbackUrl }) => callbackUrl },
  { name: 'secret', type: 'text', of: ({ secret }) => secret },
  { name: 'created_at', type: 'bigint', of: ({ createdAt }) => createdAt },
  { name: 'updated_at', type: 'bigint', of: ({ updatedAt }) => updatedAt },
  { name: 'payload', type: 'text', of: ({ payload }) => payload },
  { name: 'types', type: 'text', of: ({ types }) => typesText(types) },
  { name: 'previous_secret', type: 'text', of: ({ previousSecret }) => previousSecret },
  { name: 'overlap_ends_at', type: 'bigint', of: ({ overlapEndsAt }) => overlapEndsAt },
]

const CURSOR: readonly Column<EventCursor & { readonly owner: string }>[] = [
  { name: 'owner', type: 'text', of: ({ owner }) => owner },
  { name: 'after', type: 'bigint', of: ({ after }) => numberOf(after) },
  { name: 'until', type: 'bigint', of: ({ until }) => (until === null ? null : numberOf(until)) },
]

export const webhooks: PostgresMovedKind<'webhooks', WebhookColumns> = {
  select: (behind) => sql`
    SELECT w.*, c.after::numeric, c.until::numeric FROM webhooks AS w LEFT JOIN event_cursors AS c ON c.owner = w.owner
    ${behindPlace([bytesOf(sql`w.owner`)], ['text'], behind)}`,
  toRecord: (row) => ({
    record: {
      owner: row.owner,
      callbackUrl: row.callback_url,
      secret: row.secret,
      createdAt: row.created_at,
      updatedAt: row.updated_at,
      payload: row.payload,
      types: typesOf(row.types),
      previousSecret: row.previous_secret,
      overlapEndsAt: row.overlap_ends_at,
      cursor: row.after === null ? null : toCursor({ after: row.after, until: row.until }),
    },
    place: [row.owner],
  }),
  write: (work, records) => {
    work.write(insertInto('webhooks', WEBHOOK, records))
    work.write(
      insertInto(
        'event_cursors',
        CURSOR,
        records.flatMap(({ owner, cursor }) => (cursor === null ? [] : { owner, ...cursor })),
      ),
    )
  },
}

const DELIVERY: readonly Column<Delivery>[] = [
  { name: 'id', type: 'uuid', of: ({ id }) => id },
  { name: 'owner', type: 'text', of: ({ owner }) => owner },
  { name: 'lane', type: 'text', of: ({ owner, url }) => laneOf(owner, url) },
  { name: 'invoice_id', type: 'text', of: ({ invoiceId }) => invoiceId },
  { name: 'status', type: 'text', of: ({ status }) => status },
  { name: 'event_id', type: 'text', of: ({ event }) => event?.id ?? null },
  { name: 'event_type', type: 'text', of: ({ event }) => event?.type ?? null },
  { name: 'url', type: 'text', of: ({ url }) => url },
  { name: 'body', type: 'text', of: ({ body }) => body },
  { name: 'state', type: 'text', of: ({ state }) => state },
  { name: 'created_at', type: 'bigint', of: ({ createdAt }) => createdAt },
  { name: 'attempted_at', type: 'bigint', of: ({ attemptedAt }) => attemptedAt },
  { name: 'attempts', type: 'integer', of: ({ attempts }) => attempts },
  { name: 'attempts_before', type: 'integer', of: ({ attemptsBefore }) => attemptsBefore },
  { name: 'next_attempt_at', type: 'bigint', of: ({ nextAttemptAt }) => nextAttemptAt },
  {
    name: 'http_status',
    type: 'integer',
    of: ({ result }) => (result?.kind === 'answered' ? result.httpStatus : null),
  },
  { name: 'failure', type: 'text', of: ({ result }) => (result?.kind === 'failed' ? result.reason : null) },
  { name: 'detail', type: 'text', of: ({ result }) => (result?.kind === 'failed' ? result.detail : null) },
  { name: 'duration_ms', type: 'bigint', of: ({ result }) => result?.durationMs ?? null },
]

export const deliveries: PostgresMovedKind<'deliveries', DeliveryColumns> = {
  select: (behind) =>
    sql`SELECT ${DELIVERY_COLUMNS} FROM deliveries AS d ${behindPlace([sql`d.id`], ['uuid'], behind)}`,
  toRecord: (row) => ({ record: toDelivery(row), place: [row.id] }),
  write: (work, records) => work.write(insertInto('deliveries', DELIVERY, records)),
}

export const removals: PostgresMovedKind<'removals', { readonly owner: string; readonly removed_to: bigint }> = {
  select: (behind) => {
    const order = behindPlace([bytesOf(sql`h.owner`)], ['text'], behind)
    return sql`SELECT h.* FROM (
        SELECT owner, removed_to::numeric FROM event_heads WHERE removed_to IS NOT NULL
      ) AS h ${order}`
  },
  toRecord: ({ owner, removed_to }) => ({ record: { owner, id: idOf(removed_to) }, place: [owner] }),
  write: (work, records) =>
    work.write(
      insertInto(
        'event_heads',
        [
          { name: 'owner', type: 'text', of: ({ owner }) => owner },
          { name: 'removed_to', type: 'bigint', of: ({ id }) => numberOf(id) },
        ],
        records,
        { last: 'm.removed_to' },
      ),
    ),
}

interface EventColumns {
  readonly owner: string
  readonly number: bigint
  readonly type: EventType
  readonly invoice_id: string | null
  readonly data: string | null
  readonly order_id: string | null
}

/** The heads are made at the end, of all events. */
export const events: PostgresMovedKind<'events', EventColumns> = {
  select: (behind) => sql`
    SELECT owner, number::numeric, type, invoice_id, data, order_id FROM owner_events AS e
    ${behindPlace([bytesOf(sql`e.owner`), sql`e.number`], ['text', 'bigint'], behind)}`,
  toRecord: ({ owner, number, type, invoice_id, data, order_id: orderId }) => {
    const about = data !== null && type.startsWith('deposit.') ? readDepositData(data) : null
    const record: MovedEvent = {
      owner,
      id: idOf(number),
      type,
      invoiceId: invoice_id,
      deposit: about?.deposit ?? null,
      delivery: data !== null && type === 'delivery.failed' ? deliveryIn(data) : null,
      isLate: about?.isLate ?? false,
      orderId,
    }
    return { record, place: [owner, String(number)] }
  },
  write: (work, records) =>
    work.write(
      insertInto(
        'owner_events',
        [
          { name: 'owner', type: 'text', of: ({ owner }) => owner },
          { name: 'number', type: 'bigint', of: ({ id }) => numberOf(id) },
          { name: 'type', type: 'text', of: ({ type }) => type },
          { name: 'invoice_id', type: 'uuid', of: ({ invoiceId }) => invoiceId },
          { name: 'data', type: 'text', of: dataOf },
          { name: 'order_id', type: 'uuid', of: ({ orderId }) => orderId },
        ],
        records,
      ),
    ),
}

function dataOf({ deposit, delivery, isLate }: MovedEvent): string | null {
  if (deposit !== null) return depositData(deposit, isLate)
  return delivery === null ? null : deliveryData(delivery)
}
