import { decodeOrder, enterOrder, orderExpiryKey } from '../orders/order-rows.js'
import type { OrderId } from '../tables/keys.js'
import { type LmdbMovedKind, pageOfTable } from './moved-kind.js'

export const orders: LmdbMovedKind<'orders'> = {
  page: ({ tables }, behind, limit) =>
    pageOfTable(tables.orders, behind, limit, (key, value) => {
      const id = key as OrderId
      const order = decodeOrder(id, value)
      return { order, isExpiryUndecided: tables.orderExpiries.doesExist(orderExpiryKey(order.expiresAt, id)) }
    }),
  write: (commit, { order, isExpiryUndecided }) => enterOrder(commit, order, isExpiryUndecided),
}
