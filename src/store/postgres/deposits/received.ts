import { optionOf } from '../../../domain/order-value.js'
import type { Span } from '../../../domain/zone.js'
import type { Page, PageOf } from '../../reading.js'
import type { ReceivedDeposit, ReceivedFor } from '../../received.js'
import type { Database } from '../connection/database.js'
import { sql } from '../connection/sql.js'
import { JOINED_ORDER_COLUMNS, type JoinedOrderColumns, joinedOrder } from '../orders/order-rows.js'
import { pageOf } from '../pages.js'
import { DEPOSIT_COLUMNS, type DepositColumns, toDeposit } from './deposit-rows.js'

/** What a deposit was for, beside its own columns; null where it is matched to no invoice, or that is of no order. */
interface ReceivedColumns extends DepositColumns, Nullable<JoinedOrderColumns> {
  readonly invoice_name: string | null
  readonly invoice_owner: string | null
  readonly invoice_reference: string | null
  readonly invoice_order_number: string | null
  readonly wallet_id: string | null
  readonly wallet_owner: string | null
  readonly wallet_assigned_at: number | null
}

type Nullable<T> = { readonly [K in keyof T]: T[K] | null }

const CURSOR = /^([0-9]{1,15})-([0-9]{1,15})$/

/** Lists deposits in the order of receipt. A cursor is when the last one was received, and its number. */
export async function pageReceived(
  database: Database,
  { from, before }: Span,
  { after, limit }: Page,
): Promise<PageOf<ReceivedDeposit>> {
  const [, receivedAt = from, no = 0] = CURSOR.exec(after ?? '') ?? []
  // The invoices are joined behind the limit: so many are looked up, and no plan begins with them.
  const rows = await database.readPage<ReceivedColumns>(sql`
    SELECT ${DEPOSIT_COLUMNS}, ${JOINED_ORDER_COLUMNS}, coalesce(i.imported_as, replace(i.id::text, '-', '')) AS invoice_name,
      i.owner AS invoice_owner, i.reference AS invoice_reference, i.order_number AS invoice_order_number,
      w.id AS wallet_id, w.owner AS wallet_owner, w.assigned_at AS wallet_assigned_at
    FROM (
      SELECT * FROM deposits AS one
      WHERE (one.received_at, one.no) > (${Number(receivedAt)}::bigint, ${Number(no)}::bigint) AND one.received_at < ${before}::bigint
      ORDER BY one.received_at, one.no LIMIT ${limit + 1}::bigint
    ) AS d
    LEFT JOIN invoices AS i ON i.id = d.invoice_id LEFT JOIN orders AS o ON o.id = i.order_id
    LEFT JOIN addresses AS a ON a.id = d.address_id LEFT JOIN wallets AS w ON w.id = a.wallet_id
    ORDER BY d.received_at, d.no`)
  return pageOf(
    rows.map((row) => ({ item: toReceived(row), id: `${row.received_at}-${row.no}` })),
    limit,
  )
}

function toReceived(row: ReceivedColumns): ReceivedDeposit {
  const { wallet_id: id, wallet_owner: owner, wallet_assigned_at: assignedAt } = row
  return {
    deposit: toDeposit(row),
    countedAs: row.counted_as,
    atoms: row.atoms,
    invoice: toReceivedFor(row),
    isLate: row.is_late,
    wallet: id === null ? null : { id, owner, assignedAt },
  }
}

function toReceivedFor(row: ReceivedColumns): ReceivedFor | null {
  const { invoice_id: invoiceId, invoice_name: id, invoice_owner: owner } = row
  if (invoiceId === null || id === null || owner === null) return null
  const order = isOfOrder(row) ? joinedOrder(row) : null
  const option = order === null ? undefined : optionOf(order, invoiceId)
  return {
    id,
    owner,
    reference: row.invoice_reference,
    orderNumber: row.invoice_order_number,
    order: order === null || option === undefined ? null : { order, option },
  }
}

/** Whether an order was joined: then it has all columns that an order must have. */
function isOfOrder(row: ReceivedColumns): row is ReceivedColumns & JoinedOrderColumns {
  return row.o_id !== null
}
