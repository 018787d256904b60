import { scan } from '../base/scan.js'
import type { Currency } from '../domain/amount.js'
import { type Outcome, succeed } from '../domain/failure.js'
import { storedOrderNumber } from '../domain/order-fields.js'
import type { Payment } from '../domain/payment.js'
import type { Awaitable, InvoiceWithPayment, Page, PageOf } from '../store/reading.js'
import { refuseParameter } from './list-query.js'
import type { Piece, Work } from './lists.js'

export const FILTER_PARAMETERS = ['status', 'currency', 'createdAfter', 'createdBefore', 'orderNumber'] as const

/** Records of one page of a filtered list, if the request does not say how many. */
export const FILTERED_LIMIT = 100

/**
 * Invoices, or orders, that one request looks at. A page that has found fewer than it may hold by then ends all the same, and says
 * where the next one goes on; so a filter that nothing matches costs no more than one that all match.
 */
export const SCANNED_MAX = 1000

/** Invoices looked at in one piece at most. */
const TURN_RECORDS = 100

/** About what a page may hold as JSON before it ends early. */
const PAGE_BYTES = 1_048_576

const TIME = /^[0-9]{1,15}$/

/** Which invoices are wanted; null is any. */
export interface InvoiceFilter {
  readonly status: Payment['status'] | null
  readonly currency: Currency | null
  /** Unix ms; both exclusive. */
  readonly createdAfter: number | null
  readonly createdBefore: number | null
  /** As stored. */
  readonly orderNumber: string | null
}

/** Reads the filter of a query; null if it has none. `currencies`: what records may be in. Refuses with `invalid_query`. */
export function readInvoiceFilter(
  parameters: URLSearchParams,
  currencies: readonly Currency[],
): Outcome<InvoiceFilter | null> {
  if (!FILTER_PARAMETERS.some((name) => parameters.has(name))) return succeed(null)
  const status = parameters.get('status')
  if (status !== null && status !== 'unpaid' && status !== 'paid') return refuseParameter('status')
  const currency = parameters.get('currency')
  if (currency !== null && !currencies.includes(currency)) return refuseParameter('currency')
  const times: (number | null)[] = []
  for (const name of ['createdAfter', 'createdBefore'] as const) {
    const text = parameters.get(name)
    if (text !== null && !TIME.test(text)) return refuseParameter(name)
    times.push(text === null ? null : Number(text))
  }
  const [createdAfter = null, createdBefore = null] = times
  const asked = parameters.get('orderNumber')
  const orderNumber = asked === null ? null : storedOrderNumber(asked)
  return succeed({ status, currency, createdAfter, createdBefore, orderNumber })
}

/** The parameters of a filter, for the Link to the next page: each begins with `&`. */
export function filterText(parameters: URLSearchParams): string {
  return FILTER_PARAMETERS.flatMap((name) => {
    const value = parameters.get(name)
    return value === null ? [] : [`&${name}=${encodeURIComponent(value)}`]
  }).join('')
}

/** An accepted invoice is paid for people, whatever is missing. */
export function isWanted({ invoice, order, payment, acceptedAt }: InvoiceWithPayment, filter: InvoiceFilter): boolean {
  return (
    (filter.status === null || (acceptedAt === null ? payment.status : 'paid') === filter.status) &&
    (filter.currency === null || invoice.currency === filter.currency) &&
    (filter.createdAfter === null || invoice.created_at > filter.createdAfter) &&
    (filter.createdBefore === null || invoice.created_at < filter.createdBefore) &&
    (filter.orderNumber === null || order.orderNumber === filter.orderNumber)
  )
}

/** Which records of a list are wanted. */
export interface Wanted<T> {
  isWanted(item: T): boolean
  /** The cursor behind a record. */
  cursorOf(item: T): string
}

export function wantedBy(filter: InvoiceFilter): Wanted<InvoiceWithPayment> {
  return { isWanted: (found) => isWanted(found, filter), cursorOf: ({ invoice: { id } }) => id }
}

/** Records of a filtered page, in turns: `SCANNED_MAX` are looked at, and about `PAGE_BYTES` found, at most. */
export async function wantedPage<T>(
  run: Work['run'],
  read: (page: Page) => Awaitable<PageOf<T>>,
  show: (found: T) => unknown,
  wanted: Wanted<T>,
  { after, limit }: Page,
): Promise<Piece> {
  const texts: string[] = []
  let bytes = 0
  let scanned = 0
  const look = ({ items, next }: PageOf<T>) => {
    scanned += items.length
    for (const [at, item] of items.entries()) {
      if (!wanted.isWanted(item)) continue
      const text = JSON.stringify(show(item))
      texts.push(text)
      bytes += text.length
      if (texts.length === limit) return { next: at < items.length - 1 ? wanted.cursorOf(item) : next }
    }
    return { next }
  }
  const lookOn = (behind: string | null) => {
    const page = { after: behind, limit: Math.min(TURN_RECORDS, SCANNED_MAX - scanned) }
    return run((slice) => {
      const found = read({ ...page, slice })
      return found instanceof Promise ? found.then(look) : look(found)
    })
  }
  let cursor: string | null = null
  for await (const { next } of scan(lookOn, after)) {
    cursor = next
    if (texts.length === limit || scanned >= SCANNED_MAX || bytes >= PAGE_BYTES) break
  }
  return { text: texts.join(','), records: texts.length, next: cursor }
}
