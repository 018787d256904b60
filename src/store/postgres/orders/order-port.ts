import { ID } from '../../../domain/id.js'
import type { Order } from '../../../domain/order.js'
import { optionReference } from '../../../domain/order.js'
import type { OrderPort, OrderSearch, OrderWithDeposits, OrderWithOptions } from '../../orders.js'
import type { Page, PageOf } from '../../reading.js'
import type { Database } from '../connection/database.js'
import { type Fragment, sql } from '../connection/sql.js'
import type { Work } from '../connection/work.js'
import { answerOf, INVOICE_COLUMNS, type InvoiceColumns, type InvoiceRow, toRow } from '../invoices/invoice-rows.js'
import { pageBehind } from '../pages.js'
import { type DepositsColumn, depositsColumn, withDeposits } from '../payments/qualifying-deposits.js'
import { RECEIVED } from '../payments/sums.js'
import {
  JOINED_ORDER,
  type JoinedOrderColumns,
  joinedOrder,
  LISTED_ORDER_COLUMNS,
  ORDER_COLUMNS,
  type OrderColumns,
  toOrder,
} from './order-rows.js'
import { inOrder } from './order-work.js'

/** Orders that one statement reads at most, with all of their invoices and what came to each of their wallets. */
const ORDERS_AT_ONCE = 10

/** Reads orders. A page of many ends early, and says where the next one goes on. */
export class PostgresOrders implements OrderPort {
  constructor(private readonly database: Database) {}

  async find(id: string): Promise<Order | undefined> {
    if (!ID.test(id)) return undefined
    const row = await this.database.readOne<OrderColumns>(
      sql`SELECT ${ORDER_COLUMNS} FROM orders AS o WHERE o.id = ${id}::uuid`,
    )
    return row === undefined ? undefined : toOrder(row)
  }

  async findWithOptions(id: string): Promise<OrderWithOptions | undefined> {
    if (!ID.test(id)) return undefined
    const [found] = await this.read(sql`o.id = ${id}::uuid`, sql``)
    return found
  }

  async findWithDeposits(id: string, limit: number): Promise<OrderWithDeposits | undefined> {
    if (!ID.test(id)) return undefined
    const rows = await this.database.readPage<Joined & DepositsColumn>(
      this.joined(sql`o.id = ${id}::uuid`, sql``, sql`, ${depositsColumn(limit)}`),
    )
    const [first] = rows
    if (first === undefined) return undefined
    const columns = new Map(rows.map((row) => [row.id, row]))
    const order = joinedOrder(first)
    const invoices = inOrder(order, rows.map(toRow)).map((row) => {
      const column = columns.get(row.id)
      if (column === undefined) throw new Error('an invoice of an order was not read')
      return withDeposits(row, column, first.now, limit)
    })
    return { order, invoices, readAt: first.now }
  }

  async findByReference(reference: string): Promise<OrderWithOptions | undefined> {
    const first = optionReference({ id: '', reference }, 1)
    const [found] = await this.read(
      sql`o.reference = ${reference} AND o.id = (SELECT i.order_id FROM invoices AS i WHERE i.reference = ${first})`,
      sql``,
    )
    return found
  }

  page(owner: string, page: Page, { orderNumber }: OrderSearch): Promise<PageOf<OrderWithOptions>> {
    const isListed =
      orderNumber === null
        ? sql`o.owner = ${owner}`
        : sql`o.order_number = ${orderNumber} AND o.order_number IS NOT NULL AND o.owner = ${owner}`
    return this.pageOf(isListed, page)
  }

  all(page: Page): Promise<PageOf<OrderWithOptions>> {
    return this.pageOf(sql`true`, page)
  }

  private pageOf(condition: Fragment, { after, limit: most }: Page): Promise<PageOf<OrderWithOptions>> {
    return pageBehind({ after, limit: Math.min(most, ORDERS_AT_ONCE) }, async (behind, limit) => {
      const newest = sql`ORDER BY o.id DESC LIMIT ${limit}::bigint`
      const found = await this.read(sql`${condition} ${behind(sql`o.id`)}`, newest)
      return found.map((item) => ({ item, id: item.order.id }))
    })
  }

  /** One statement: an order and its invoices are of one moment. */
  private async read(condition: Fragment, rest: Fragment): Promise<readonly OrderWithOptions[]> {
    const rows = await this.database.readPage<Joined>(this.joined(condition, rest))
    const found = new Map<string, { readonly order: Order; readonly rows: InvoiceRow[]; readonly now: number }>()
    for (const row of rows) {
      const known = found.get(row.o_id) ?? { order: joinedOrder(row), rows: [], now: row.now }
      found.set(row.o_id, known)
      known.rows.push(toRow(row))
    }
    return [...found.values()].map((one) => ({
      order: one.order,
      invoices: inOrder(one.order, one.rows).map((row) => answerOf(row, one.now)),
      readAt: one.now,
    }))
  }

  /** Orders with their invoices, a row for each invoice. `more`: further columns of `invoices AS i`. */
  private joined(condition: Fragment, rest: Fragment, more: Fragment = sql``): Fragment {
    return sql`
      SELECT ${LISTED_ORDER_COLUMNS}, ${INVOICE_COLUMNS}, ${this.database.now} AS now ${more}
      FROM (SELECT ${ORDER_COLUMNS} FROM orders AS o WHERE ${condition} ${rest}) AS o
      JOIN invoices AS i ON i.order_id = o.id ${RECEIVED} ${JOINED_ORDER}`
  }
}

type Joined = InvoiceColumns & JoinedOrderColumns & { readonly now: number }

/** An order with its invoices, in a unit of work that holds it. */
export function readHeld(work: Work, order: Order, rows: readonly InvoiceRow[]): OrderWithOptions {
  return { order, invoices: rows.map((row) => answerOf(row, work.nowMs)), readAt: work.nowMs }
}
