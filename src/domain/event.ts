import type { Sighting } from './deposit.js'
import { EVENT_TYPES, type EventName, type EventType } from './event-type.js'
import type { OrderFields } from './order-fields.js'
import type { Delivery, DeliveryFailure, DeliveryResult } from './webhook.js'

export * from './event-type.js'

/** A delivery whose last attempt failed. */
export interface FailedDelivery {
  readonly id: string
  readonly status: Delivery['status']
  /** Attempts so far. */
  readonly attempt: number
  /** Null when the receiver did not answer. */
  readonly httpStatus: number | null
  /** Null when the receiver answered. */
  readonly failure: DeliveryFailure | null
  /** The event that it told; null for a deposit in the specified fields. */
  readonly event: EventName | null
}

/** Stands before all ids of events. */
export const NO_EVENT = '0'.repeat(16)

/** Something that happened to an owner, as it was then. */
export interface OwnerEvent extends OrderFields {
  /** 16 hex characters; the events of an owner are in its order. */
  readonly id: string
  readonly type: EventType
  /** Unix ms; never earlier than that of the event before. */
  readonly at: number
  /** For a deposit the invoice that it is matched to, for a delivery the one that is notified. Null for a deposit of none, and for its delivery. */
  readonly invoiceId: string | null
  /** That of the invoice, or of the order. */
  readonly reference: string | null
  /** Null unless the event is about one. */
  readonly deposit: Sighting | null
  /** Null unless the event is about one. */
  readonly delivery: FailedDelivery | null
  /** Present for a deposit whose invoice had become void before it came. */
  readonly late?: true
  /** Present for an event of an order, and for what is about an invoice of one. */
  readonly orderId?: string
}

/** The types in a list that a client gave, in the order of `EVENT_TYPES`; null unless it names at least one, and each once. */
export function parseEventTypes(given: unknown): readonly EventType[] | null {
  if (!Array.isArray(given) || given.length === 0 || given.length > EVENT_TYPES.length) return null
  const types = EVENT_TYPES.filter((type) => given.includes(type))
  return types.length === given.length ? types : null
}

/** The body of a delivery with the payload `events`: an event as the log of the owner shows it. It is serialised once, too. */
export function eventBody({ id, type, at, ...data }: OwnerEvent, added: { readonly test?: true } = {}): string {
  return JSON.stringify({ id, type, at, data, ...added })
}

/** Stands in an export for the events of an owner that have been removed, up to the one with its id. */
export const EVENTS_REMOVED = 'events.removed'

/** An event in an export: unlike in the API, the owner is not given with the request. */
export type ExportedEvent = { readonly owner: string } & (
  | OwnerEvent
  | (Omit<OwnerEvent, 'type'> & { readonly type: typeof EVENTS_REMOVED })
)

/** How a failed attempt ended. */
export function failureShown(result: DeliveryResult | null): Pick<FailedDelivery, 'httpStatus' | 'failure'> {
  return {
    httpStatus: result?.kind === 'answered' ? result.httpStatus : null,
    failure: result?.kind === 'failed' ? result.reason : null,
  }
}
