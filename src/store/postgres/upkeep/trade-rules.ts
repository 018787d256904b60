import { flawOfOrder } from '../../../domain/invoice-flaw.js'
import { type Order, optionReference, STANDINGS } from '../../../domain/order.js'
import { metadataOfText } from '../../../domain/order-fields.js'
import { flawsOfStanding } from '../../rules/order-check.js'
import type { Violation } from '../../upkeep.js'
import { type Fragment, sql } from '../connection/sql.js'
import { INVOICE_COLUMNS, type InvoiceColumns } from '../invoices/invoice-rows.js'
import type { Snapshot } from '../moving/snapshot.js'
import { leaningRows } from '../orders/leaning-orders.js'
import { optionsOf } from '../orders/option-text.js'
import { ORDER_COLUMNS, type OrderColumns, toOrder } from '../orders/order-rows.js'
import { RECEIVED } from '../payments/sums.js'
import type { Rule } from './rule.js'

type Option = InvoiceColumns & { readonly order_id: string }

/** An order and its invoices name each other, and how it stands follows from what has come for them. */
export async function* checkOrders(snapshot: Snapshot): AsyncGenerator<Violation> {
  const select = sql`SELECT ${ORDER_COLUMNS} FROM orders AS o ORDER BY o.id`
  for await (const rows of snapshot.batches<OrderColumns>(select)) {
    const ids = rows.map(({ id }) => id)
    const options = await snapshot.all<Option>(sql`
      SELECT ${INVOICE_COLUMNS} FROM invoices AS i ${RECEIVED}
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
  const options = own.map(({ atoms: amount, voided_at: voidedAt, own_confirmed, own_pending, matched_confirmed }) => ({
    portion: {
      amount,
      own: { confirmed: own_confirmed, pending: own_pending },
      unmatched: own_confirmed - matched_confirmed,
    },
    voidedAt,
  }))
  yield* flawsOfStanding(order, options)
}

const CALLED_FOR = leaningRows(sql`o.is_leaning`)
const LISTED = sql`SELECT wallet_id, currency, order_id FROM leaning_orders`

/** What is listed of the orders that lean is what they call for. */
export const LEANING_RULES: readonly Rule[] = [
  leaningRule('the order leans, and is not listed', sql`${CALLED_FOR} EXCEPT ${LISTED}`),
  leaningRule('the order does not lean on what comes here', sql`${LISTED} EXCEPT ${CALLED_FOR}`),
]

function leaningRule(what: string, rows: Fragment): Rule {
  const select = sql`SELECT wallet_id || ' ' || currency || ' ' || order_id AS name FROM (${rows}) AS wrong (wallet_id, currency, order_id)`
  return { table: 'leaning_orders', what, select }
}
