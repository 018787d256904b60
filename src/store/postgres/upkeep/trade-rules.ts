import { flawOfOrder } from '../../../domain/invoice-flaw.js'
import { type Order, optionReference, STANDINGS } from '../../../domain/order.js'
import { metadataOfText } from '../../../domain/order-fields.js'
import { shareOf, standingOf } from '../../../domain/order-share.js'
import type { Violation } from '../../upkeep.js'
import { sql } from '../connection/sql.js'
import { INVOICE_COLUMNS, type InvoiceColumns } from '../invoices/invoice-rows.js'
import type { Snapshot } from '../moving/snapshot.js'
import { optionsOf } from '../orders/option-text.js'
import { ORDER_COLUMNS, type OrderColumns, toOrder } from '../orders/order-rows.js'
import { RECEIVED } from '../payments/sums.js'

type Option = InvoiceColumns & {
  readonly order_id: string
  readonly matched_confirmed: bigint
  readonly matched_seen: bigint
}

/** An order and its invoices name each other, and how it stands follows from what has come for them. */
export async function* checkOrders(snapshot: Snapshot): AsyncGenerator<Violation> {
  const select = sql`SELECT ${ORDER_COLUMNS} FROM orders AS o ORDER BY o.id`
  for await (const rows of snapshot.batches<OrderColumns>(select)) {
    const ids = rows.map(({ id }) => id)
    const options = await snapshot.all<Option>(sql`
      SELECT ${INVOICE_COLUMNS}, i.matched_confirmed, i.matched_seen FROM invoices AS i ${RECEIVED}
      WHERE i.order_id = ANY(${ids}::uuid[])`)
    const byOrder = new Map<string, Option[]>()
    for (const option of options) {
      const known = byOrder.get(option.order_id)
      if (known === undefined) byOrder.set(option.order_id, [option])
      else known.push(option)
    }
    for (const row of rows) {
      const flaw = flawOfColumns(row)
      const flaws = flaw === null ? flawsOf(toOrder(row), byOrder.get(row.id) ?? []) : [flaw]
      for (const what of flaws) yield { table: 'orders', row: row.id, what }
    }
  }
}

/** What no program has written: an order with it cannot be read. */
function flawOfColumns({ options, standing, metadata, return_url, order_number }: OrderColumns): string | null {
  if (optionsOf(options) === null) return 'its options are none'
  if (!STANDINGS.includes(standing)) return 'its standing is none'
  if (metadata !== null && metadataOfText(metadata) === undefined) return 'its metadata is none'
  return flawOfOrder({ returnUrl: return_url, orderNumber: order_number })
}

function* flawsOf(order: Order, found: readonly Option[]): Generator<string> {
  const byId = new Map(found.map((row) => [row.id, row]))
  const rows = order.options.map(({ invoiceId }) => byId.get(invoiceId))
  const missing = rows.indexOf(undefined)
  if (missing >= 0) return yield `invoices does not have the invoice of its option ${missing + 1}`
  if (found.length > rows.length) yield 'an invoice names it that is none of its options'
  const own = rows.filter((row) => row !== undefined)
  for (const [i, row] of own.entries()) {
    if (row.owner !== order.owner) yield `the invoice of its option ${i + 1} is of another owner`
    if (row.reference !== optionReference(order, i + 1))
      yield `the invoice of its option ${i + 1} has another reference`
  }
  const isSettled = order.standing === 'paid' || order.acceptedAt !== null
  const isOver = own.every(({ voided_at }) => voided_at !== null)
  if (!isSettled && order.voidedAt !== null && !isOver) yield 'it is void, and one of its invoices can be paid'
  // Where something counts that is matched to no invoice, the next deposit judges: it may be paid, and is not known to be.
  if (own.some((row) => row.own_confirmed + row.own_pending !== row.matched_seen)) return
  // Theirs are decided before its own.
  if (!isSettled && order.voidedAt === null && isOver && order.isExpiryDecided) {
    yield 'none of its invoices can be paid, and it is not void'
  }
  const portions = own.map(({ atoms, own_confirmed: confirmed, own_pending: pending }) => ({
    amount: atoms,
    own: { confirmed, pending },
  }))
  const standing = standingOf(shareOf(portions))
  if (standing !== order.standing) yield `it stands as ${order.standing}, and its invoices say ${standing}`
  const isOpen = own.some(({ atoms, voided_at, own_confirmed }) => voided_at === null && own_confirmed < atoms)
  if (order.standing === 'paid' && order.acceptedAt === null && isOpen) {
    yield 'it is paid, and an invoice that is not paid is not void'
  }
}
