import { decodeOrder, enterOrder } from '../orders/order-rows.js'
import type { OrderId } from '../tables/keys.js'
import { type LmdbMovedKind, pageOfTable } from './moved-kind.js'

export const orders: LmdbMovedKind<'orders'> = {
  page: ({ tables }, behind, limit) =>
    pageOfTable(tables.orders, behind, limit, (key, value) => decodeOrder(key as OrderId, value)),
  write: (commit, order) => enterOrder(commit, order),
}
