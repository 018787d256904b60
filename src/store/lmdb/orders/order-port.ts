import { walletsOf } from '../../../domain/invoice.js'
import type { Order } from '../../../domain/order.js'
import { optionReference } from '../../../domain/order.js'
import type { OrderPort, OrderSearch, OrderWithDeposits, OrderWithOptions } from '../../orders.js'
import type { Page, PageOf } from '../../reading.js'
import type { Reader } from '../commit/commit.js'
import type { CommitLoop } from '../commit/commit-loop.js'
import { ownerNoOf } from '../identities/identities.js'
import { itemsOf, pageOfOwner, pageUnder } from '../identities/owner-lists.js'
import { invoiceRow } from '../invoices/invoice-rows.js'
import { answerFor } from '../payments/payments.js'
import { withDeposits } from '../payments/qualifying-deposits.js'
import { endOf, ID_BYTES, type InvoiceId, idOfKey, isKey, type OrderId } from '../tables/keys.js'
import { NOTHING } from '../tables/tables.js'
import { findOrder, numberedPrefix, orderRow } from './order-rows.js'

/** An order with its invoices. */
export function readOptions(at: Reader, order: Order): OrderWithOptions {
  const invoices = order.options.map(({ invoiceId }) =>
    answerFor(at, invoiceRow(at, Buffer.from(invoiceId, 'hex') as InvoiceId)),
  )
  return { order, invoices, readAt: at.nowMs }
}

/** Reads orders. */
export class LmdbOrders implements OrderPort {
  constructor(private readonly commits: CommitLoop) {}

  find(id: string): Order | undefined {
    return findOrder(this.commits.snapshot, id)
  }

  findWithOptions(id: string): OrderWithOptions | undefined {
    const { snapshot } = this.commits
    const order = findOrder(snapshot, id)
    return order === undefined ? undefined : readOptions(snapshot, order)
  }

  findWithDeposits(id: string, limit: number): OrderWithDeposits | undefined {
    const { snapshot } = this.commits
    const order = findOrder(snapshot, id)
    if (order === undefined) return undefined
    const invoices = order.options.map(({ invoiceId }) => {
      const row = invoiceRow(snapshot, Buffer.from(invoiceId, 'hex') as InvoiceId)
      return withDeposits(snapshot, row, answerFor(snapshot, row), limit)
    })
    return { order, invoices, readAt: snapshot.nowMs }
  }

  findByReference(reference: string): OrderWithOptions | undefined {
    const { snapshot } = this.commits
    const key = Buffer.from(optionReference({ id: '', reference }, 1))
    const invoiceId = isKey(key) ? snapshot.tables.references.get(key) : undefined
    if (invoiceId === undefined) return undefined
    const { orderId } = invoiceRow(snapshot, Buffer.from(invoiceId) as InvoiceId)
    const order = orderId === null ? undefined : orderRow(snapshot, orderId)
    return order?.reference === reference ? readOptions(snapshot, order) : undefined
  }

  page(owner: string, page: Page, { orderNumber }: OrderSearch): PageOf<OrderWithOptions> {
    const { snapshot } = this.commits
    const { ownerOrders, numberedOrders } = snapshot.tables
    const toItem = (key: Buffer) => this.item(idOfKey<OrderId>(key), page)
    if (orderNumber === null) return pageOfOwner(snapshot, ownerOrders, ID_BYTES, owner, page, toItem)
    const ownerNo = ownerNoOf(snapshot, owner)
    if (ownerNo === undefined) return { items: [], next: null }
    return pageUnder(numberedOrders, numberedPrefix(orderNumber, ownerNo), ID_BYTES, page, toItem)
  }

  all(page: Page): PageOf<OrderWithOptions> {
    const { orders } = this.commits.snapshot.tables
    const after = page.after === null ? endOf(NOTHING, ID_BYTES + 1) : Buffer.from(page.after, 'hex')
    const range = { reverse: true, start: after, exclusiveStart: true, limit: page.limit + 1 }
    const keys = [...orders.getKeys(range)].map((key) => Buffer.from(key))
    const isLast = keys.length <= page.limit
    const toItem = (key: Buffer) => this.item(key as OrderId, page)
    return itemsOf(keys.slice(0, page.limit), isLast, page, toItem, (key) => key.toString('hex'))
  }

  private item(id: OrderId, { slice }: Page): OrderWithOptions {
    const { snapshot } = this.commits
    const found = readOptions(snapshot, orderRow(snapshot, id.toString('hex')))
    for (const { invoice } of found.invoices) slice?.touch(walletsOf(invoice).length)
    return found
  }
}
