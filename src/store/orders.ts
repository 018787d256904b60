import type { Order } from '../domain/order.js'
import type { Awaitable, InvoiceWithDeposits, InvoiceWithPayment, Page, PageOf } from './reading.js'

/** An order with its invoices, as of one moment. */
export interface OrderWithOptions {
  readonly order: Order
  /** One for each option, in their order. */
  readonly invoices: readonly InvoiceWithPayment[]
  /** The moment by which its end is judged, Unix ms. */
  readonly readAt: number
}

/** The same with the newest deposits of each invoice. */
export interface OrderWithDeposits extends OrderWithOptions {
  readonly invoices: readonly InvoiceWithDeposits[]
}

/** Which orders of an owner are meant; null for any. */
export interface OrderSearch {
  readonly orderNumber: string | null
}

/** Reads orders. `CommandPort` creates and ends them. */
export interface OrderPort {
  find(id: string): Awaitable<Order | undefined>
  findWithOptions(id: string): Awaitable<OrderWithOptions | undefined>
  /** The same, with up to `limit` deposits of each invoice, of the same moment. */
  findWithDeposits(id: string, limit: number): Awaitable<OrderWithDeposits | undefined>
  /** The order with a reference, which is unique. */
  findByReference(reference: string): Awaitable<OrderWithOptions | undefined>
  /** The orders of an owner, newest first; cursors are ids of orders. */
  page(owner: string, page: Page, search: OrderSearch): Awaitable<PageOf<OrderWithOptions>>
  /** All orders, newest first, for the operator. */
  all(page: Page): Awaitable<PageOf<OrderWithOptions>>
}
