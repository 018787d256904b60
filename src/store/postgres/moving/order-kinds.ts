import { sql } from '../connection/sql.js'
import { insertOrders, ORDER_COLUMNS, type OrderColumns, toOrder } from '../orders/order-rows.js'
import { behindPlace, type PostgresMovedKind } from './moved-kind.js'

export const orders: PostgresMovedKind<'orders', OrderColumns & { readonly is_expiry_undecided: boolean }> = {
  select: (behind) => sql`
    SELECT ${ORDER_COLUMNS}, o.is_expiry_undecided FROM orders AS o ${behindPlace([sql`o.id`], ['uuid'], behind)}`,
  toRecord: (row) => ({
    record: { order: toOrder(row), isExpiryUndecided: row.is_expiry_undecided },
    place: [row.id],
  }),
  write: (work, records) => work.write(insertOrders(records)),
}
