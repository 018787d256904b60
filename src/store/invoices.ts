import type { Invoice } from '../domain/invoice.js'
import type { Payment } from '../domain/payment.js'
import type { Awaitable, Page, PageOf } from './reads.js'

export interface InvoiceWithPayment {
  readonly invoice: Invoice
  readonly payment: Payment
  /** When it became void, by request or by expiry, Unix ms; null while it is payable. */
  readonly voidedAt: number | null
  /** Unix ms; null when it never expires. */
  readonly expiresAt: number | null
}

/** Reads invoices. `CommandPort` creates and voids them. */
export interface InvoicePort {
  find(id: string): Awaitable<Invoice | undefined>
  findWithPayment(id: string): Awaitable<InvoiceWithPayment | undefined>
  findByReference(reference: string): Awaitable<Invoice | undefined>
  /** The invoices of an owner, newest first; cursors are invoice ids. */
  page(owner: string, page: Page): Awaitable<PageOf<Invoice>>
  pageWithPayment(owner: string, page: Page): Awaitable<PageOf<InvoiceWithPayment>>
}
