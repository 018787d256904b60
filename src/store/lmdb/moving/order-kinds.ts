import { listLeaning } from '../orders/leaning-orders.js'
import { decodeOrder, enterOrder } from '../orders/order-rows.js'
import { orderWorkOn } from '../orders/order-work.js'
import type { OrderId } from '../tables/keys.js'
import { type LmdbMovedKind, pageOfTable } from './moved-kind.js'

export const orders: LmdbMovedKind<'orders'> = {
  page: ({ tables }, behind, limit) =>
    pageOfTable(tables.orders, behind, limit, (key, value) => decodeOrder(key as OrderId, value)),
  /** Its invoices are there. */
  write(commit, order) {
    enterOrder(commit, order)
    if (order.isLeaning) listLeaning(commit, order, orderWorkOn(commit).options(order))
  },
}
