import type { Currency } from '../../domain/amount.js'
import type { OrderEventType } from '../../domain/event.js'
import type { Invoice } from '../../domain/invoice.js'
import type { Order } from '../../domain/order.js'
import type { Portion } from '../../domain/order-share.js'
import type { Ending } from '../../domain/voiding.js'
import type { Awaitable } from '../reading.js'
import type { InvoiceLife } from './invoice-life.js'

/** An invoice in an engine, as the rules of orders need it. */
export interface OptionRow extends Ending {
  readonly invoice: Invoice
  /** The order that it is an option of; null for none. */
  readonly orderId: string | null
}

/** What an option asks and what has come for it. */
export interface CountedPortion extends Portion {
  /** What of its confirmed money is matched to no invoice. Atoms. */
  readonly unmatched: bigint
}

/** What the rules of orders need of an engine. `I` is its row of an invoice. */
export interface OrderWork<I extends OptionRow> {
  readonly life: InvoiceLife<I>
  /** An order. Until the commit nobody else changes it, or decides by what its invoices have received. */
  order(id: string): Awaitable<Order>
  /** The invoices of a held order as they are now, one for each option and in their order. */
  options(order: Order): Awaitable<readonly I[]>
  /** Keeps others from some of its invoices until the commit, and answers them as they are then. */
  hold(rows: readonly I[]): Awaitable<readonly I[]>
  /** The same, and from whatever could be created on their wallets. */
  holdWithWallets(rows: readonly I[]): Awaitable<readonly I[]>
  /** What an invoice asks, and what has come for it. */
  portionOf(row: I): CountedPortion
  /** Whether a void invoice could be created now as it is: no other one that is unpaid stands in its way. */
  isFree(row: I): Awaitable<boolean>
  put(order: Order): void
  /**
   * Lists an order that leans from now on under each wallet and currency of its invoices, or takes it out if it leans no more. What an
   * order leans on stays there until the commit.
   */
  list(order: Order, rows: readonly I[]): void
  /** The orders, by id, that are listed under a wallet and a currency. Nobody else lists one there until the commit. */
  listedUnder(walletId: string, currency: Currency): Awaitable<readonly string[]>
  /** Enters what happened to an order into the log of its owner. `cause`: the invoice whose deposit brought it about. */
  log(type: OrderEventType, order: Order, cause: I | null): void
  /** Notes that an invoice on a wallet ends, or lives again. */
  changed(walletId: string): void
}

/** An order with its invoices, as they are now. */
export interface HeldOrder<I> {
  readonly order: Order
  readonly rows: readonly I[]
}
