import { ID, timeOfId } from './id.js'
import {
  FieldFlaw,
  type Fields,
  type Importing,
  isObject,
  isWhole,
  matching,
  optionalPastTime,
  optionalText,
  optionalTime,
  pastTime,
  readOwner,
  text,
} from './imported-fields.js'
import { flawOfExpiry, flawOfOrder, flawOfTexts } from './invoice-flaw.js'
import {
  ORDER_OPTIONS_MAX,
  ORDER_REFERENCE_LENGTH_MAX,
  type Order,
  type OrderOption,
  parsePrice,
  type UsedRate,
} from './order.js'
import { readMetadata } from './order-fields.js'
import { parseRate } from './rate-set.js'
import { isAbsoluteHttpUrl, isLongerThan } from './text.js'

/** An order of another store, with its end. How it stands follows from its invoices. */
export interface ImportedOrder {
  readonly type: 'order'
  readonly order: Order
}

const DECIMALS_MAX = 18
const SPREAD = /^([0-9]{1,3})(?:\.([0-9]{1,2}))?$/

/** An order of another store, as its export has it. */
export function readOrderRecord(record: Fields, importing: Importing): ImportedOrder {
  const id = matching(record, 'id', ID, '32 lower-case hex characters')
  const createdAt = pastTime(record, 'created_at', importing)
  if (timeOfId(id) !== createdAt) {
    throw new FieldFlaw('created_at is not the time of its id')
  }
  const price = parsePrice(record['price'])
  if (price === null) throw new FieldFlaw('price must be an amount greater than zero and a currency')
  const expiresAt = optionalTime(record, 'expires_at')
  if (expiresAt === null) throw new FieldFlaw('expires_at is missing')
  const order = {
    id,
    owner: readOwner(record),
    price,
    name: text(record, 'name'),
    description: optionalText(record, 'description'),
    reference: optionalText(record, 'reference'),
    fields: readFields(record),
    callbackUrl: optionalText(record, 'callbackUrl'),
    createdAt,
    expiresAt,
    voidedAt: optionalPastTime(record, 'voided_at', importing),
    acceptedAt: optionalPastTime(record, 'accepted_at', importing),
    isExpiryDecided: expiresAt <= importing.nowMs,
    standing: 'none' as const,
    isLeaning: false,
    options: readOptions(record['options'], importing),
  }
  const flaw = flawOfOne(order)
  if (flaw !== null) throw new FieldFlaw(flaw)
  return { type: 'order', order }
}

function readFields(record: Fields): Order['fields'] {
  const given = record['metadata'] ?? null
  const metadata = given === null ? null : readMetadata(given)
  if (metadata === undefined) throw new FieldFlaw('metadata is none of an order')
  return {
    returnUrl: optionalText(record, 'returnUrl'),
    orderNumber: optionalText(record, 'orderNumber'),
    metadata,
  }
}

/** What the API would refuse or cut. */
function flawOfOne(order: Order): string | null {
  const { reference, callbackUrl, fields, createdAt, expiresAt, voidedAt, acceptedAt } = order
  if (reference !== null && isLongerThan(reference, ORDER_REFERENCE_LENGTH_MAX)) {
    return `reference is longer than ${ORDER_REFERENCE_LENGTH_MAX} characters`
  }
  if (voidedAt !== null && acceptedAt !== null) return 'an order is void or accepted, not both'
  if (callbackUrl !== null && !isAbsoluteHttpUrl(callbackUrl)) {
    return 'callbackUrl must be an absolute http or https URL of at most 2048 characters, without user and password'
  }
  return flawOfTexts(order) ?? flawOfOrder(fields) ?? flawOfExpiry(createdAt, expiresAt)
}

function readOptions(value: unknown, importing: Importing): readonly OrderOption[] {
  if (!Array.isArray(value) || value.length === 0 || value.length > ORDER_OPTIONS_MAX) {
    throw new FieldFlaw(`options must be 1 to ${ORDER_OPTIONS_MAX}`)
  }
  return value.map((option: unknown, i) => {
    try {
      return readOption(option, importing)
    } catch (error) {
      throw error instanceof FieldFlaw ? new FieldFlaw(`option ${i + 1}: ${error.message}`) : error
    }
  })
}

function readOption(option: unknown, importing: Importing): OrderOption {
  if (!isObject(option) || !isObject(option['invoice'])) throw new FieldFlaw('invoice is missing')
  const { decimals, isVoidedByOrder } = option
  if (!isWhole(decimals, DECIMALS_MAX)) throw new FieldFlaw(`decimals must be an integer from 0 to ${DECIMALS_MAX}`)
  if (typeof isVoidedByOrder !== 'boolean') throw new FieldFlaw('isVoidedByOrder must be true or false')
  const invoiceId = matching(option['invoice'], 'id', ID, '32 lower-case hex characters')
  const rate = readRate(option, importing)
  return { invoiceId, rate, isFixed: optionalText(option, 'rate') === null, decimals, isVoidedByOrder }
}

/** None of an amount that the shop fixed, and none of the currency of the price. */
function readRate(option: Fields, importing: Importing): UsedRate | null {
  const at = optionalPastTime(option, 'rateAt', importing)
  if (at === null) return null
  const spread = SPREAD.exec(optionalText(option, 'spread') ?? '0')
  if (spread === null) throw new FieldFlaw('spread must be a decimal of percent')
  const [, percent = '0', hundredths = ''] = spread
  const rate = text(option, 'rate')
  if (parseRate(rate) === null) throw new FieldFlaw('rate must be a decimal greater than zero')
  return {
    rate,
    at,
    spread: Number(percent) * 100 + Number(hundredths.padEnd(2, '0')),
  }
}
