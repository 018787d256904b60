import { setImmediate } from 'node:timers/promises'
import { type Currency, isCurrency } from '../domain/amount.js'
import { type Outcome, succeed } from '../domain/failure.js'
import type { Payment } from '../domain/payment.js'
import type { Awaitable, InvoiceWithPayment, Page, PageOf } from '../store/store.js'
import { refuseParameter } from './lists.js'

export const FILTER_PARAMETERS = ['status', 'currency', 'createdAfter', 'createdBefore'] as const

/** Records of one page of a filtered list, if the request does not say how many. */
export const FILTERED_LIMIT = 100

/**
 * Invoices that one request looks at. A page that has found fewer than it may hold by then ends all the same, and says
 * where the next one goes on; so a filter that nothing matches costs no more than one that all match.
 */
export const SCANNED_MAX = 1000

/** Invoices looked at between two turns of other requests. */
const TURN_RECORDS = 100

const TIME = /^[0-9]{1,15}$/

/** Which invoices are wanted; null is any. */
export interface InvoiceFilter {
  readonly status: Payment['status'] | null
  readonly currency: Currency | null
  /** Unix ms; both exclusive. */
  readonly createdAfter: number | null
  readonly createdBefore: number | null
}

/** Reads the filter of a query; null if it has none. Refuses with `invalid_query`. */
export function readInvoiceFilter(parameters: URLSearchParams): Outcome<InvoiceFilter | null> {
  if (!FILTER_PARAMETERS.some((name) => parameters.has(name))) return succeed(null)
  const status = parameters.get('status')
  if (status !== null && status !== 'unpaid' && status !== 'paid') return refuseParameter('status')
  const currency = parameters.get('currency')
  if (currency !== null && !isCurrency(currency)) return refuseParameter('currency')
  const times: (number | null)[] = []
  for (const name of ['createdAfter', 'createdBefore'] as const) {
    const text = parameters.get(name)
    if (text !== null && !TIME.test(text)) return refuseParameter(name)
    times.push(text === null ? null : Number(text))
  }
  const [createdAfter = null, createdBefore = null] = times
  return succeed({ status, currency, createdAfter, createdBefore })
}

/** The parameters of a filter, for the Link to the next page: each begins with `&`. */
export function filterText(parameters: URLSearchParams): string {
  return FILTER_PARAMETERS.flatMap((name) => {
    const value = parameters.get(name)
    return value === null ? [] : [`&${name}=${value}`]
  }).join('')
}

export function isWanted({ invoice, payment }: InvoiceWithPayment, filter: InvoiceFilter): boolean {
  return (
    (filter.status === null || payment.status === filter.status) &&
    (filter.currency === null || invoice.currency === filter.currency) &&
    (filter.createdAfter === null || invoice.created_at > filter.createdAfter) &&
    (filter.createdBefore === null || invoice.created_at < filter.createdBefore)
  )
}

/** A page of the wanted invoices. It looks at `SCANNED_MAX` at most, in turns, and may be short, or empty, with a next page. */
export async function wantedPage(
  read: (page: Page) => Awaitable<PageOf<InvoiceWithPayment>>,
  filter: InvoiceFilter,
  { after, limit }: Page,
): Promise<PageOf<InvoiceWithPayment>> {
  const items: InvoiceWithPayment[] = []
  let cursor = after
  for (let scanned = 0; scanned < SCANNED_MAX; scanned += TURN_RECORDS) {
    if (scanned > 0) await setImmediate()
    const page = await read({ after: cursor, limit: TURN_RECORDS })
    for (const [at, item] of page.items.entries()) {
      if (!isWanted(item, filter)) continue
      items.push(item)
      const isLast = at === page.items.length - 1 && page.next === null
      if (items.length === limit) return { items, next: isLast ? null : item.invoice.id }
    }
    cursor = page.next
    if (cursor === null) break
  }
  return { items, next: cursor }
}
