import type { MovedEvent, MovedWebhook } from '../../moving/records.js'
import type { Reader } from '../commit/commit.js'
import { cursorOf, putCursor } from '../events/event-cursors.js'
import {
  beginBehind,
  EVENT_ID_BYTES,
  EVENT_KEY_BYTES,
  idTextOfKey,
  insertEvent,
  removedTo,
} from '../events/event-log.js'
import {
  contentOf,
  deliveryEvent,
  depositEvent,
  type EventContent,
  invoiceEvent,
  orderEvent,
} from '../events/event-rows.js'
import { internOwner } from '../identities/identities.js'
import { findInvoice, invoiceRow } from '../invoices/invoice-rows.js'
import { keyOf } from '../orders/order-rows.js'
import { enterMoved } from '../outbox/deliveries.js'
import { deliveryCodec } from '../outbox/delivery-rows.js'
import { endOf, type InvoiceId, NUMBER_BYTES, numberKey, under } from '../tables/keys.js'
import { webhookCodec } from '../webhooks/webhook-configurations.js'
import { type LmdbMovedKind, only, pageOfTable } from './moved-kind.js'
import { pageOfOwners } from './owner-lists.js'

export const webhooks: LmdbMovedKind<'webhooks'> = {
  page: (at, behind, limit) =>
    pageOfOwners<MovedWebhook>(at, behind, limit, (_, ownerNo, after, most) => {
      const stored = at.tables.webhooks.get(numberKey(ownerNo))
      if (stored === undefined || most === 0) return []
      const cursor = cursorOf(at, ownerNo)
      return only(after, {
        ...webhookCodec.decode(stored),
        cursor: cursor === undefined ? null : { after: cursor.after, until: cursor.until },
      })
    }),
  write(commit, { cursor, ...record }) {
    const { owner } = record
    const ownerNo = internOwner(commit, owner)
    commit.tables.webhooks.putSync(numberKey(ownerNo), webhookCodec.encode(record))
    if (cursor !== null) putCursor(commit, ownerNo, { owner, ...cursor })
  },
}

export const deliveries: LmdbMovedKind<'deliveries'> = {
  page: ({ tables }, behind, limit) =>
    pageOfTable(tables.deliveries, behind, limit, (key, value) => {
      return { id: key.toString('hex'), ...deliveryCodec.decode(value) }
    }),
  write: (commit, delivery) => enterMoved(commit, delivery),
}

export const removals: LmdbMovedKind<'removals'> = {
  page: (at, behind, limit) =>
    pageOfOwners(at, behind, limit, (owner, ownerNo, after, most) => {
      const id = removedTo(at.tables.ownerEvents, ownerNo)
      return only(after, id === undefined || most === 0 ? undefined : { owner, id: id.toString('hex') })
    }),
  write: (commit, { owner, id }) => beginBehind(commit, internOwner(commit, owner), Buffer.from(id, 'hex')),
}

export const events: LmdbMovedKind<'events'> = {
  page: (at, behind, limit) =>
    pageOfOwners(at, behind, limit, (owner, ownerNo, after, most) => {
      const last = after === null ? Buffer.alloc(0) : Buffer.concat([Buffer.from(after, 'hex'), Buffer.of(0)])
      const start = after === null ? under(ownerNo, Buffer.alloc(EVENT_ID_BYTES)) : under(ownerNo, last)
      const end = endOf(numberKey(ownerNo), EVENT_KEY_BYTES + 1)
      return [...at.tables.ownerEvents.getRange({ start, end, limit: most })].map(({ key, value }) => {
        const id = idTextOfKey(key)
        const content = contentOf(Buffer.from(value))
        return {
          record: { owner, id, ...told(at, content) },
          place: key.toString('hex', NUMBER_BYTES, EVENT_KEY_BYTES),
        }
      })
    }),
  write(commit, { owner, id, ...event }) {
    insertEvent(commit, internOwner(commit, owner), Buffer.from(id, 'hex'), stored(commit, event))
  },
}

/** A failed webhook names its invoice as clients do. */
function told(at: Reader, content: EventContent): Omit<MovedEvent, 'owner' | 'id'> {
  const { type, invoiceId } = content
  const named = typeof invoiceId === 'string' ? findInvoice(at, invoiceId)?.id : invoiceId
  if (named === undefined) throw new Error('an event names an invoice that is not there')
  return {
    type,
    invoiceId: named?.toString('hex') ?? null,
    deposit: 'deposit' in content ? content.deposit : null,
    delivery: 'delivery' in content ? content.delivery : null,
    isLate: 'isLate' in content && content.isLate,
    orderId: 'orderId' in content ? content.orderId : null,
  }
}

function stored(
  at: Reader,
  { type, invoiceId, deposit, delivery, isLate, orderId }: Omit<MovedEvent, 'owner' | 'id'>,
): Buffer {
  const id = invoiceId === null ? null : (Buffer.from(invoiceId, 'hex') as InvoiceId)
  switch (type) {
    case 'deposit.pending':
    case 'deposit.confirmed':
    case 'deposit.dropped':
      if (deposit === null) throw new Error('an event of a deposit has none')
      return depositEvent(type, deposit, id, isLate)
    case 'delivery.failed':
      if (delivery === null) throw new Error('an event of a webhook has none')
      return deliveryEvent(delivery, id === null ? null : invoiceRow(at, id).invoice.id)
    case 'order.created':
    case 'order.partly':
    case 'order.paid':
    case 'order.unpaid':
    case 'order.accepted':
    case 'order.expired':
    case 'order.voided':
    case 'order.overpaid':
      if (orderId === null) throw new Error('an event of an order has none')
      return orderEvent(type, keyOf(orderId), id)
    default:
      if (id === null) throw new Error('an event of an invoice has none')
      return invoiceEvent(type, id)
  }
}
