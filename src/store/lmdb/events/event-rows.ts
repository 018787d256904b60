import type { DepositStatus, Sighting } from '../../../domain/deposit.js'
import {
  type DepositEventType,
  EVENT_TYPES,
  type EventType,
  type FailedDelivery,
  type InvoiceEventType,
  type OrderEventType,
  type OwnerEvent,
} from '../../../domain/event.js'
import { NO_ORDER_FIELDS } from '../../../domain/order-fields.js'
import type { LoggedEvent } from '../../rules/queue-events.js'
import type { Reader } from '../commit/commit.js'
import { findInvoice, type InvoiceRow, invoiceRow } from '../invoices/invoice-rows.js'
import { orderOf } from '../invoices/order-rows.js'
import { orderRow } from '../orders/order-rows.js'
import { eventName } from '../outbox/delivery-rows.js'
import { ID_BYTES, type InvoiceId, idOfKey, type OrderId } from '../tables/keys.js'
import {
  bytes,
  CorruptRecord,
  fieldsOf,
  flag,
  integer,
  oneOf,
  orNull,
  recordCodec,
  type Shape,
  text,
} from '../tables/record-codec.js'

/*
 * What is stored of an event, behind a byte for its type. Of an invoice only the id: what an event tells of it never changes.
 * A deposit that was dropped may come again as another one, and deliveries are removed, so of those the event has a copy.
 */

/** A deposit as it was seen, and the invoice that it is matched to. */
interface StoredDeposit extends Sighting {
  readonly invoiceId: Uint8Array | null
}

/** A delivery of a deposit in the specified fields, as records of the first version have it. */
interface StoredDelivery extends Omit<FailedDelivery, 'event'> {
  readonly status: DepositStatus
  readonly invoiceId: string
}

interface StoredEventDelivery extends FailedDelivery {
  readonly invoiceId: string | null
}

const DEPOSIT: Shape<StoredDeposit> = {
  network: text,
  txHash: text,
  index: integer,
  toAddress: text,
  currency: orNull(text),
  amount: text,
  receivedAt: integer,
  invoiceId: orNull(bytes),
}

const depositCodec = recordCodec<StoredDeposit>('owner-events', 1, DEPOSIT)

/** A late deposit is of another version, so that all others are as they were. */
const deposits = fieldsOf<StoredDeposit>(DEPOSIT)
const lateCodec = recordCodec<StoredDeposit & { readonly isLate: boolean }>(
  'owner-events',
  2,
  { ...DEPOSIT, isLate: flag },
  { 1: (from) => ({ ...deposits.read(from), isLate: false }) },
)

const STATUSES = ['pending', 'confirmed'] as const
const FAILURES = ['timeout', 'dns', 'connection', 'refused_address', 'interrupted'] as const
const ATTEMPT = {
  attempt: integer,
  httpStatus: orNull(integer),
  failure: orNull(oneOf(FAILURES)),
}
const OF_DEPOSIT = { id: text, status: oneOf(STATUSES), ...ATTEMPT, invoiceId: text }

/** Written as before: an event of before that is imported again is the same. */
const deliveryCodec = recordCodec<StoredDelivery>('owner-events', 1, OF_DEPOSIT)
const ofDeposit = fieldsOf<StoredDelivery>(OF_DEPOSIT)

const eventDeliveryCodec = recordCodec<StoredEventDelivery>(
  'owner-events',
  2,
  { id: text, status: orNull(oneOf(STATUSES)), ...ATTEMPT, invoiceId: orNull(text), event: eventName },
  { 1: (from) => ({ ...ofDeposit.read(from), event: null }) },
)

export function invoiceEvent(type: InvoiceEventType, id: InvoiceId): Buffer {
  return stored(type, id)
}

/** `causeId`: the invoice whose deposit brought it about. */
export function orderEvent(type: OrderEventType, id: OrderId, causeId: InvoiceId | null): Buffer {
  return stored(type, causeId === null ? id : Buffer.concat([id, causeId]))
}

export function depositEvent(
  type: DepositEventType,
  sighting: Sighting,
  invoiceId: InvoiceId | null,
  isLate: boolean,
): Buffer {
  const deposit = { ...sighting, invoiceId }
  return stored(type, isLate ? lateCodec.encode({ ...deposit, isLate }) : depositCodec.encode(deposit))
}

export function deliveryEvent(delivery: FailedDelivery, invoiceId: string | null): Buffer {
  const { event, status, ...attempt } = delivery
  if (event !== null) return stored('delivery.failed', eventDeliveryCodec.encode({ ...delivery, invoiceId }))
  if (status === null || invoiceId === null) throw new Error('a webhook of a deposit has no status, or no invoice')
  return stored('delivery.failed', deliveryCodec.encode({ ...attempt, status, invoiceId }))
}

function stored(type: EventType, rest: Uint8Array): Buffer {
  const value = Buffer.allocUnsafe(1 + rest.length)
  value[0] = EVENT_TYPES.indexOf(type)
  value.set(rest, 1)
  return value
}

/** What a stored event says, and of which invoice. */
export type EventContent =
  | { readonly type: InvoiceEventType; readonly invoiceId: InvoiceId }
  | { readonly type: OrderEventType; readonly orderId: string; readonly invoiceId: InvoiceId | null }
  | {
      readonly type: DepositEventType
      readonly invoiceId: InvoiceId | null
      readonly deposit: Sighting
      readonly isLate: boolean
    }
  | { readonly type: 'delivery.failed'; readonly invoiceId: string | null; readonly delivery: FailedDelivery }

export function contentOf(value: Buffer): EventContent {
  const type = EVENT_TYPES[value[0] ?? EVENT_TYPES.length]
  const rest = value.subarray(1)
  switch (type) {
    case undefined:
      throw new CorruptRecord('an event has no type')
    case 'deposit.pending':
    case 'deposit.confirmed':
    case 'deposit.dropped': {
      const { invoiceId, isLate, ...deposit } = lateCodec.decode(rest)
      return { type, deposit, isLate, invoiceId: invoiceId === null ? null : (Buffer.from(invoiceId) as InvoiceId) }
    }
    case 'delivery.failed': {
      const { invoiceId, ...delivery } = eventDeliveryCodec.decode(rest)
      return { type, delivery, invoiceId }
    }
    case 'order.created':
    case 'order.partly':
    case 'order.paid':
    case 'order.unpaid':
    case 'order.accepted':
    case 'order.expired':
    case 'order.voided':
    case 'order.overpaid': {
      const hasCause = rest.length === 2 * ID_BYTES
      if (!hasCause && rest.length !== ID_BYTES) throw new CorruptRecord('an event of an order has no id of one')
      const invoiceId = hasCause ? idOfKey<InvoiceId>(rest) : null
      return { type, orderId: rest.toString('hex', 0, ID_BYTES), invoiceId }
    }
    default:
      if (rest.length !== ID_BYTES) throw new CorruptRecord('an event of an invoice has no id of one')
      return { type, invoiceId: idOfKey<InvoiceId>(rest) }
  }
}

/** An event as readers see it. */
export function shownEvent(at: Reader, id: string, timeMs: number, value: Buffer): OwnerEvent {
  return loggedEvent(at, id, timeMs, value).event
}

/** The same, with what its delivery needs. */
export function loggedEvent(at: Reader, id: string, timeMs: number, value: Buffer): LoggedEvent {
  const content = contentOf(value)
  const { type, invoiceId } = content
  const row = invoiceId === null ? null : rowOf(at, invoiceId)
  const order = 'orderId' in content ? orderRow(at, content.orderId) : null
  const { returnUrl, orderNumber, metadata } = order?.fields ?? (row === null ? NO_ORDER_FIELDS : orderOf(at, row.id))
  const orderId = order?.id ?? row?.orderId ?? null
  const event = {
    id,
    type,
    at: timeMs,
    invoiceId: row?.invoice.id ?? null,
    reference: order === null ? (row?.invoice.reference ?? null) : order.reference,
    deposit: 'deposit' in content ? content.deposit : null,
    delivery: 'delivery' in content ? content.delivery : null,
    returnUrl,
    orderNumber,
    metadata,
    ...('isLate' in content && content.isLate ? { late: true as const } : {}),
    ...(orderId === null ? {} : { orderId }),
  }
  return { event, callbackUrl: order === null ? (row?.invoice.callback_url ?? null) : order.callbackUrl }
}

function rowOf(at: Reader, id: InvoiceId | string): InvoiceRow {
  const row = typeof id === 'string' ? findInvoice(at, id) : invoiceRow(at, id)
  if (row === undefined) throw new Error('an event names an invoice that is not there')
  return row
}
