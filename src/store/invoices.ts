import type { Currency } from '../domain/amount.js'
import type { Invoice } from '../domain/invoice.js'
import type { Network } from '../domain/network.js'
import type { Awaitable, InvoiceWithDeposits, InvoiceWithPayment, Page, PageOf } from './reading.js'

/** Invoices of a currency on the wallet at an address, of its present owner, by when they were created. */
export interface UnpaidSearch {
  readonly network: Network
  readonly address: string
  readonly currency: Currency
  /** Unix ms. */
  readonly from: number
  /** Unix ms; those that were created then are not meant. */
  readonly before: number
}

/** Open invoices that a search for an unpaid one examines at most. */
export const UNPAID_EXAMINED_MAX = 100

/** Reads invoices. `CommandPort` creates and voids them. */
export interface InvoicePort {
  find(id: string): Awaitable<Invoice | undefined>
  findWithPayment(id: string): Awaitable<InvoiceWithPayment | undefined>
  /** Whether it will answer the same object again while nothing changes, so that what is made of it is worth keeping. */
  isKept(id: string): boolean
  /** The same, with up to `limit` deposits of the same moment. Its cost does not grow with the history of the wallets. */
  findWithDeposits(id: string, limit: number): Awaitable<InvoiceWithDeposits | undefined>
  findByReference(reference: string): Awaitable<Invoice | undefined>
  /** The invoice that a deposit is matched to, or was until it was dropped. */
  findByDeposit(network: Network, txHash: string, index: number): Awaitable<Invoice | undefined>
  /** The invoices of an owner, newest first, or only those with an order number; cursors are invoice ids. */
  page(owner: string, page: Page, orderNumber?: string | null): Awaitable<PageOf<Invoice>>
  pageWithPayment(owner: string, page: Page, orderNumber?: string | null): Awaitable<PageOf<InvoiceWithPayment>>
  /** The cursor that a page ends with, without reading its invoices. */
  nextOf(owner: string, page: Page, orderNumber?: string | null): Awaitable<string | null>
  /** The oldest one of a search that is neither paid nor void, if there is one among the first. Its cost is bounded. */
  oldestUnpaid(search: UnpaidSearch): Awaitable<Invoice | undefined>
}
