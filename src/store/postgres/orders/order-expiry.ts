import { answeredLater } from '../../rules/asking.js'
import { decideOrderExpiry } from '../../rules/order-end.js'
import { type Fragment, sql } from '../connection/sql.js'
import type { Work } from '../connection/work.js'
import type { InvoiceRow } from '../invoices/invoice-rows.js'
import { type Due, firstOfDue, lockInvoices } from '../invoices/settle.js'
import { ORDER_COLUMNS, type OrderColumns, toOrder } from './order-rows.js'
import { inOrder, PostgresOrderWork } from './order-work.js'

/** Expiries of orders that one unit decides. They are read together. */
const EXPIRED_AT_ONCE = 20

/** The orders whose expiry is due and not decided, as `Due`. */
export function selectOrdersDue(now: Fragment, limit: number): Fragment {
  return sql`
    SELECT o.id, COALESCE((SELECT sum(cardinality(i.wallet_ids)) FROM invoices AS i WHERE i.order_id = o.id), 0)::int AS wallets
    FROM orders AS o WHERE NOT o.is_expiry_decided AND o.expires_at <= ${now}
    ORDER BY o.expires_at, o.id LIMIT ${limit}::bigint`
}

/** Decides the expiries of orders that are due. */
export async function expireOrdersDue(work: Work): Promise<void> {
  const ids = firstOfDue(await work.rows<Due>(selectOrdersDue(sql`${work.nowMs}::bigint`, EXPIRED_AT_ONCE)))
  if (ids.length === 0) return
  work.lock(sql`SELECT o.id FROM orders AS o WHERE o.id = ANY(${ids}::uuid[]) ORDER BY o.id FOR UPDATE`)
  const columns = await work.rows<OrderColumns>(
    sql`SELECT ${ORDER_COLUMNS} FROM orders AS o WHERE o.id = ANY(${ids}::uuid[]) ORDER BY o.expires_at, o.id`,
  )
  const orders = columns.map(toOrder)
  const invoiceIds = orders.flatMap(({ options }) => options.map(({ invoiceId }) => invoiceId))
  const rows = await lockInvoices(work, invoiceIds)
  const locked = new LockedOrderWork(work, true)
  for (const order of orders) {
    await answeredLater(decideOrderExpiry(locked, { order, rows: inOrder(order, rows) }))
  }
}

/** Orders whose invoices are locked, and were read behind that. */
class LockedOrderWork extends PostgresOrderWork {
  override hold(rows: readonly InvoiceRow[]): Promise<readonly InvoiceRow[]> {
    return Promise.resolve(rows)
  }
}
