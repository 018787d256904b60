import { sql } from '../connection/sql.js'
import { listLeaning } from '../orders/leaning-orders.js'
import { insertOrders, ORDER_COLUMNS, type OrderColumns, toOrder } from '../orders/order-rows.js'
import { behindPlace, type PostgresMovedKind } from './moved-kind.js'

export const orders: PostgresMovedKind<'orders', OrderColumns> = {
  select: (behind) => sql`SELECT ${ORDER_COLUMNS} FROM orders AS o ${behindPlace([sql`o.id`], ['uuid'], behind)}`,
  toRecord: (row) => ({ record: toOrder(row), place: [row.id] }),
  write: (work, records) => {
    work.write(insertOrders(records))
    const leaning = records.filter(({ isLeaning }) => isLeaning).map(({ id }) => id)
    if (leaning.length > 0) listLeaning(work, leaning)
  },
}
