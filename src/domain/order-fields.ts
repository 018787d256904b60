import { type Outcome, refuse, succeed } from './failure.js'
import { isAbsoluteHttpUrl, isLongerThan, truncate, wellFormed } from './text.js'

export const ORDER_NUMBER_LENGTH_MAX = 80
export const METADATA_ENTRIES_MAX = 20
export const METADATA_KEY_LENGTH_MAX = 40
export const METADATA_VALUE_LENGTH_MAX = 500

/** What the shop keeps with an invoice. Payers never see it. */
export type Metadata = Readonly<Record<string, string>>

/** What an invoice says of the order that it is for (decisions 4). All of it is optional. */
export interface OrderFields {
  /** Where the payment page leads back to. */
  readonly returnUrl: string | null
  /** What people call the order. Several invoices may have the same. */
  readonly orderNumber: string | null
  readonly metadata: Metadata | null
}

export const NO_ORDER_FIELDS: OrderFields = { returnUrl: null, orderNumber: null, metadata: null }

/** Whether nothing is said of an order, as of most invoices: then nothing is stored. */
export function areAbsent({ returnUrl, orderNumber, metadata }: OrderFields): boolean {
  return returnUrl === null && orderNumber === null && metadata === null
}

/**
 * Reads the fields of an order from the body of a request. Null means absent, and so do an empty text and an object without
 * entries. Fails with `invalid_return_url`, `invalid_order_number` or `invalid_metadata`.
 */
export function parseOrderFields(body: Readonly<Record<string, unknown>>): Outcome<OrderFields> {
  const returnUrl = textOrNull(body['returnUrl'])
  if (returnUrl !== null && (typeof returnUrl !== 'string' || !isAbsoluteHttpUrl(returnUrl))) {
    return refuse('invalid_return_url')
  }
  const orderNumber = textOrNull(body['orderNumber'])
  if (orderNumber !== null && typeof orderNumber !== 'string') return refuse('invalid_order_number')
  const given = body['metadata'] ?? null
  const metadata = given === null ? null : readMetadata(given)
  if (metadata === undefined) return refuse('invalid_metadata')
  if (returnUrl === null && orderNumber === null && metadata === null) return succeed(NO_ORDER_FIELDS)
  return succeed({
    returnUrl: returnUrl === null ? null : wellFormed(returnUrl),
    orderNumber: orderNumber === null ? null : storedOrderNumber(orderNumber),
    metadata,
  })
}

/** An order number as it is stored, and therefore as it is looked up. */
export function storedOrderNumber(text: string): string {
  return truncate(wellFormed(text), ORDER_NUMBER_LENGTH_MAX)
}

/** A value that may be a text; null if it is absent or empty. */
function textOrNull(value: unknown): unknown {
  return value === undefined || value === '' ? null : value
}

/**
 * The metadata that a JSON value is: null for an object without entries, undefined when it is none. `Object.fromEntries`
 * defines properties and never assigns them, so that a key `__proto__` is data like any other.
 */
export function readMetadata(value: unknown): Metadata | null | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined
  const entries = Object.entries(value)
  if (entries.length > METADATA_ENTRIES_MAX) return undefined
  const read: [string, string][] = []
  for (const [key, text] of entries) {
    if (typeof text !== 'string') return undefined
    if (isLongerThan(key, METADATA_KEY_LENGTH_MAX) || isLongerThan(text, METADATA_VALUE_LENGTH_MAX)) return undefined
    read.push([wellFormed(key), wellFormed(text)])
  }
  return read.length === 0 ? null : Object.fromEntries(read)
}

/** Metadata as stores keep it: JSON. */
export function metadataText(metadata: Metadata): string {
  return JSON.stringify(metadata)
}

/** The metadata that a store has kept; undefined when the text is none. */
export function metadataOfText(text: string): Metadata | undefined {
  try {
    return readMetadata(JSON.parse(text)) ?? undefined
  } catch {
    return undefined
  }
}
