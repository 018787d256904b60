import type { Currency } from '../../../domain/amount.js'
import type { OrderEventType } from '../../../domain/event.js'
import type { Order } from '../../../domain/order.js'
import type { CountedPortion, OrderWork } from '../../rules/order-work.js'
import { isOpenNow, readRivals } from '../commands/rivals.js'
import { sql } from '../connection/sql.js'
import type { Work } from '../connection/work.js'
import { type InvoiceColumns, type InvoiceRow, selectInvoices, toRow } from '../invoices/invoice-rows.js'
import { lockInvoices, PostgresInvoiceLife } from '../invoices/settle.js'
import { listLeaning, lockLeaningOn, unlistLeaning } from './leaning-orders.js'
import { ORDER_COLUMNS, type OrderColumns, toOrder, updateOrder } from './order-rows.js'

/**
 * The orders of a unit of work. Whatever changes what an invoice of an order has received, or how it ended, locks the order's row before
 * the invoice's (`lockInvoices`), and reads the other invoices behind it. So of two deposits to two of them the later one sees both.
 */
export class PostgresOrderWork implements OrderWork<InvoiceRow> {
  readonly life: PostgresInvoiceLife

  /** `areWalletsShared`: whether several unpaid invoices of a currency may be on a wallet. */
  constructor(
    private readonly work: Work,
    private readonly areWalletsShared: boolean,
  ) {
    this.life = new PostgresInvoiceLife(work)
  }

  async order(id: string): Promise<Order> {
    this.work.lock(sql`SELECT o.id FROM orders AS o WHERE o.id = ${id}::uuid FOR UPDATE`)
    const row = await this.work.row<OrderColumns>(
      sql`SELECT ${ORDER_COLUMNS} FROM orders AS o WHERE o.id = ${id}::uuid`,
    )
    if (row === undefined) throw new Error('an invoice or an index names an order that is not there')
    return toOrder(row)
  }

  async options(order: Order): Promise<readonly InvoiceRow[]> {
    const columns = await this.work.rows<InvoiceColumns>(selectInvoices(sql`i.order_id = ${order.id}::uuid`))
    return inOrder(order, columns.map(toRow))
  }

  async hold(rows: readonly InvoiceRow[]): Promise<readonly InvoiceRow[]> {
    return lockInvoices(
      this.work,
      rows.map(({ id }) => id),
    )
  }

  holdWithWallets(rows: readonly InvoiceRow[]): Promise<readonly InvoiceRow[]> {
    this.work.wallets.need(rows.flatMap(({ walletIds }) => walletIds))
    return this.hold(rows)
  }

  portionOf({ atoms, received: { own }, matchedConfirmed }: InvoiceRow): CountedPortion {
    return { amount: atoms, own, unmatched: own.confirmed - matchedConfirmed }
  }

  async isFree({ id, walletIds, invoice, atoms }: InvoiceRow): Promise<boolean> {
    const asked = { walletIds, owner: invoice.owner, currency: invoice.currency, amount: atoms }
    const rivals = await readRivals(this.work, [asked], this.areWalletsShared)
    return !rivals.some((rival) => rival.invoice_id !== id && isOpenNow(rival, this.work.nowMs))
  }

  put(order: Order): void {
    updateOrder(this.work, order)
  }

  /** With its invoices' wallets locked: what leaves one of them meanwhile has left before, or finds the order listed. */
  list(order: Order, rows: readonly InvoiceRow[]): void {
    const { work } = this
    if (!order.isLeaning) return unlistLeaning(work, order.id)
    work.wallets.need(rows.flatMap(({ walletIds }) => walletIds))
    listLeaning(work, [order.id])
  }

  listedUnder(walletId: string, currency: Currency): Promise<readonly string[]> {
    return lockLeaningOn(this.work, walletId, currency)
  }

  log(type: OrderEventType, { id, owner }: Order, cause: InvoiceRow | null): void {
    this.work.log(owner, { type, invoiceId: cause?.id ?? null, data: null, orderId: id })
  }

  changed(walletId: string): void {
    this.work.changed(walletId)
  }
}

/** For what ends invoices and opens none again. */
export function orderWorkOn(work: Work): PostgresOrderWork {
  return new PostgresOrderWork(work, true)
}

/** The invoices of an order in the order of its options. */
export function inOrder(order: Order, rows: readonly InvoiceRow[]): readonly InvoiceRow[] {
  const byId = new Map(rows.map((row) => [row.id, row]))
  return order.options.map(({ invoiceId }) => {
    const row = byId.get(invoiceId)
    if (row === undefined) throw new Error('an order names an invoice that is not there')
    return row
  })
}
