import {
  EVENT_TYPES,
  EVENTS_REMOVED,
  type EventName,
  type EventType,
  type FailedDelivery,
  type OwnerEvent,
} from './event.js'
import { ID, timeOfId } from './id.js'
import {
  FieldFlaw,
  type Fields,
  type Importing,
  isObject,
  isWhole,
  matching,
  optionalText,
  pastTime,
  readOwner,
  readSighting,
  text,
} from './imported-fields.js'
import type { OrderFields } from './order-fields.js'
import { DELIVERY_FAILURES } from './webhook.js'

/** An event of another store, with its owner, or what its log says of events that have been removed. */
export type ImportedEvent =
  | {
      readonly type: 'event'
      readonly owner: string
      readonly event: Omit<OwnerEvent, 'reference' | keyof OrderFields>
    }
  /** `id` is that of the last one. */
  | { readonly type: 'removal'; readonly owner: string; readonly id: string }

const EVENT_ID = /^[0-9a-f]{16}$/
const ATTEMPTS_MAX = 0xffff_ffff

export function readEvent(record: Fields, importing: Importing): ImportedEvent {
  const owner = readOwner(record)
  const id = matching(record, 'id', EVENT_ID, '16 lower-case hex characters')
  const at = pastTime(record, 'at', importing)
  if (timeOfId(id) !== at) throw new FieldFlaw('at is not the time of its id')
  const name = text(record, 'type')
  if (name === EVENTS_REMOVED) return { type: 'removal', owner, id }
  const type = EVENT_TYPES.find((one) => one === name)
  if (type === undefined) throw new FieldFlaw('type is not one that is known')
  const subject = subjectOf(type, record, importing)
  const isOfOrder = type.startsWith('order.')
  const named = record['orderId']
  const orderId =
    named === undefined && !isOfOrder ? undefined : matching(record, 'orderId', ID, '32 lower-case hex characters')
  const mayLackInvoice =
    isOfOrder || subject.deposit !== null || (subject.delivery !== null && subject.delivery.event !== null)
  const invoiceId = mayLackInvoice ? optionalText(record, 'invoiceId') : text(record, 'invoiceId')
  return {
    type: 'event',
    owner,
    event: { id, type, at, invoiceId, ...subject, ...(orderId === undefined ? {} : { orderId }) },
  }
}

function subjectOf(
  type: EventType,
  record: Fields,
  importing: Importing,
): Pick<OwnerEvent, 'deposit' | 'delivery' | 'late'> {
  switch (type) {
    case 'deposit.pending':
    case 'deposit.confirmed':
    case 'deposit.dropped': {
      const deposit = nested(record, 'deposit')
      // An empty label is not the same as none: the event is kept as it was.
      const currency = deposit['currency'] === '' ? '' : optionalText(deposit, 'currency')
      const { late } = record
      if (late !== undefined && late !== true) throw new FieldFlaw('late must be true or absent')
      return { deposit: readSighting(deposit, currency, importing), delivery: null, ...(late ? { late } : {}) }
    }
    case 'delivery.failed':
      return { deposit: null, delivery: readDelivery(nested(record, 'delivery')) }
    default:
      return { deposit: null, delivery: null }
  }
}

function readDelivery(record: Fields): FailedDelivery {
  const { attempt, httpStatus, failure } = record
  const event = readEventName(record)
  if (!isWhole(attempt, ATTEMPTS_MAX)) throw new FieldFlaw('attempt must be a number')
  if (httpStatus !== null && !isWhole(httpStatus, 999)) throw new FieldFlaw('httpStatus must be a number or null')
  const reason = failure === null ? null : DELIVERY_FAILURES.find((one) => one === failure)
  if (reason === undefined) throw new FieldFlaw('failure is not one that is known')
  const id = matching(record, 'id', ID, '32 lower-case hex characters')
  return { id, status: readStatus(record, event), attempt, httpStatus, failure: reason, event }
}

/** The status of the deposit that a delivery told. An event has none. */
function readStatus({ status }: Fields, event: EventName | null): FailedDelivery['status'] {
  if (event === null && (status === 'pending' || status === 'confirmed')) return status
  if (event !== null && status === null) return null
  throw new FieldFlaw('status must be pending or confirmed, or null for an event')
}

/** The event that a delivery told. Exports of before events were sent have none. */
function readEventName({ event }: Fields): EventName | null {
  if (event === undefined || event === null) return null
  if (!isObject(event)) throw new FieldFlaw('event is none')
  const type = EVENT_TYPES.find((one) => one === event['type'])
  if (type === undefined) throw new FieldFlaw('event is of no type that is known')
  return { id: matching(event, 'id', EVENT_ID, '16 lower-case hex characters'), type }
}

function nested(record: Fields, name: string): Fields {
  const value = record[name]
  if (!isObject(value)) throw new FieldFlaw(`${name} is missing`)
  return value
}
