import type { Slice } from '../base/turns.js'
import type { Invoice } from '../domain/invoice.js'
import type { OrderFields } from '../domain/order-fields.js'
import type { Payments, QualifyingDeposit } from '../domain/payment.js'

/* How reads are asked for and answered, by every port. */

/**
 * What a read answers. An engine that reads another process's data answers with a promise; one that holds the data in this
 * process may answer with the value. Callers `await` both. A hot path that cannot afford a turn of the microtask queue for
 * every request awaits only an `instanceof Promise`.
 */
export type Awaitable<T> = T | Promise<T>

/** Which part of a list to read. */
export interface Page {
  /** The cursor that the page before ended with; null for the first page. */
  readonly after: string | null
  readonly limit: number
  /** Ends the page early, behind a record at least, when others are to have their turn. An engine that does not work in this thread ignores it. */
  readonly slice?: Slice
}

export interface PageOf<T> {
  readonly items: readonly T[]
  /** The cursor of the next page; null when this is the last one. */
  readonly next: string | null
}

export interface InvoiceWithPayment extends Payments {
  readonly invoice: Invoice
  readonly order: OrderFields
  /** When it became void, by request or by expiry, Unix ms; null while it is payable. */
  readonly voidedAt: number | null
  /** When its owner took what had come as enough, Unix ms; null for never. */
  readonly acceptedAt: number | null
  /** Unix ms; null when it never expires. */
  readonly expiresAt: number | null
}

export interface InvoiceWithDeposits extends InvoiceWithPayment {
  /** The order that it is an option of; null for none. */
  readonly orderId: string | null
  /** The newest deposits that qualify for it, newest first. Where these are all, `payment` is their sum. */
  readonly deposits: readonly QualifyingDeposit[]
  /** Whether more deposits qualify than were asked for. */
  readonly hasMoreDeposits: boolean
}

/** Whether an invoice waits to be paid: it is neither paid nor void. */
export function isUnpaid({ payment, voidedAt }: InvoiceWithPayment): boolean {
  return payment.status === 'unpaid' && voidedAt === null
}

/** An invoice with up to `limit` of its newest deposits, of which one more was looked for. */
export function withNewest(
  answer: InvoiceWithPayment,
  orderId: string | null,
  newest: readonly QualifyingDeposit[],
  limit: number,
): InvoiceWithDeposits {
  return { ...answer, orderId, deposits: newest.slice(0, limit), hasMoreDeposits: newest.length > limit }
}
