import { hash } from 'node:crypto'
import type { Currency } from '../../../domain/amount.js'
import { INVOICE_ID } from '../../../domain/id.js'
import type { Invoice } from '../../../domain/invoice.js'
import type { OrderFields } from '../../../domain/order-fields.js'
import { paymentsOf, type Sums } from '../../../domain/payment.js'
import { type Ending, outlives, voidedAtBy } from '../../../domain/voiding.js'
import type { InvoiceWithPayment } from '../../reading.js'
import type { Effect } from '../connection/effects.js'
import { type Fragment, sql } from '../connection/sql.js'
import type { Work } from '../connection/work.js'
import { RECEIVED } from '../payments/sums.js'
import { metadataColumn, ORDER_COLUMNS, type OrderColumns, toOrder } from './order-columns.js'
import { walletsText } from './wallets-text.js'

/** Where an invoice is: not known to be paid, found paid, void, or accepted. The last two are on no wallet. */
export const STATE = { open: 0, paid: 1, void: 2, accepted: 3 } as const
export type State = (typeof STATE)[keyof typeof STATE]

/** How the record shows its wallets: records of before multi-wallet support have none. */
const WALLET_IDS_FORM = { null: 0, empty: 1, joined: 2 } as const

/** An invoice with what only the store knows of it. */
export interface InvoiceRow extends Ending {
  /** 32 hex characters: the invoice's own id, unless it was imported with one that does not begin with its time. */
  readonly id: string
  readonly invoice: Invoice
  readonly order: OrderFields
  readonly walletIds: readonly string[]
  readonly atoms: bigint
  readonly state: State
  /** Deposits that have matched it and were not dropped. */
  readonly matches: number
  /** What of its own confirmed money is matched to it. Atoms. */
  readonly matchedConfirmed: bigint
  readonly received: Sums
  /** The order that it is an option of; null for none. */
  readonly orderId: string | null
}

/** The columns of a row. */
export interface InvoiceColumns extends OrderColumns {
  readonly id: string
  readonly imported_as: string | null
  readonly owner: string
  readonly wallet_ids: readonly string[]
  readonly wallet_ids_form: number
  readonly name: string
  readonly description: string | null
  readonly reference: string | null
  readonly amount: string
  readonly atoms: bigint
  readonly currency: Currency
  readonly callback_url: string | null
  readonly created_at: number
  readonly expires_at: number | null
  readonly voided_at: number | null
  readonly accepted_at: number | null
  readonly has_outlived_expiry: boolean
  readonly state: State
  readonly matches: number
  readonly order_id: string | null
  readonly confirmed: bigint
  readonly pending: bigint
  readonly own_confirmed: bigint
  readonly own_pending: bigint
  readonly matched_confirmed: bigint
}

/** The columns of `invoices`. */
export type StoredColumns = Omit<
  InvoiceColumns,
  'confirmed' | 'pending' | 'own_confirmed' | 'own_pending' | 'matched_confirmed'
>

/** The invoices that a condition on `i` selects, with what each received; `rest` orders and limits. */
export function selectInvoices(condition: Fragment, rest: Fragment = sql``): Fragment {
  return sql`SELECT ${INVOICE_COLUMNS} FROM invoices AS i ${RECEIVED} WHERE ${condition} ${rest}`
}

/** What is stored of an invoice, of `invoices AS i`. Named, because a later version of the schema may have more. */
export const STORED_COLUMNS = sql`i.id, i.imported_as, i.owner, i.wallet_ids, i.wallet_ids_form, i.name, i.description, i.reference,
  i.amount, i.atoms, i.currency, i.callback_url, i.created_at, i.expires_at, i.voided_at, i.accepted_at, i.has_outlived_expiry,
  i.state, i.matches, i.order_id, ${ORDER_COLUMNS}`

/** What `selectInvoices` reads, of `invoices AS i` and `RECEIVED`. */
export const INVOICE_COLUMNS = sql`${STORED_COLUMNS}, received.confirmed, received.pending,
  i.matched_confirmed, i.matched_confirmed + received.unmatched_confirmed AS own_confirmed,
  i.matched_seen - i.matched_confirmed + received.unmatched_pending AS own_pending`

export function toRow(columns: InvoiceColumns): InvoiceRow {
  const { id, wallet_ids: walletIds, expires_at, voided_at, has_outlived_expiry, atoms, state, matches } = columns
  const { confirmed, pending, own_confirmed, own_pending } = columns
  return {
    id,
    invoice: toInvoice(columns),
    order: toOrder(columns),
    walletIds,
    atoms,
    state,
    matches,
    matchedConfirmed: columns.matched_confirmed,
    orderId: columns.order_id,
    received: { confirmed, pending, own: { confirmed: own_confirmed, pending: own_pending } },
    expiresAt: expires_at,
    voidedAt: voided_at,
    acceptedAt: columns.accepted_at,
    hasOutlivedExpiry: has_outlived_expiry,
  }
}

export function toInvoice(columns: StoredColumns): Invoice {
  const { wallet_ids: walletIds, wallet_ids_form: form } = columns
  return {
    id: columns.imported_as ?? columns.id,
    owner: columns.owner,
    wallet_id: walletIds[0] ?? '',
    wallet_ids: form === WALLET_IDS_FORM.joined ? walletIds.join(',') : form === WALLET_IDS_FORM.empty ? '' : null,
    name: columns.name,
    description: columns.description,
    reference: columns.reference,
    amount: columns.amount,
    currency: columns.currency,
    callback_url: columns.callback_url,
    created_at: columns.created_at,
  }
}

/** An invoice with its payment and its ending, judged by the clock. */
export function answerOf(row: InvoiceRow, nowMs: number): InvoiceWithPayment {
  const { invoice, order, atoms, received } = row
  const voidedAt = voidedAtBy(row, outlives(atoms, received, row.orderId !== null), nowMs)
  const { acceptedAt, expiresAt } = row
  return { invoice, order, ...paymentsOf(atoms, received), voidedAt, acceptedAt, expiresAt }
}

/** A row to insert. Nothing has matched it, and `received` is not stored. */
export type NewInvoice = Omit<InvoiceRow, 'received' | 'matches' | 'matchedConfirmed'>

/** Inserts invoices, sorted by reference: two units that insert the same ones do not wait for each other in a circle. */
export function insertInvoices(rows: readonly NewInvoice[]): Fragment {
  const column = <T>(of: (row: NewInvoice) => T) => rows.map(of)
  return sql`
    INSERT INTO invoices (id, imported_as, owner, wallet_ids, wallet_ids_form, name, description, reference, amount, atoms, currency,
      callback_url, created_at, expires_at, voided_at, accepted_at, has_outlived_expiry, state, matches, return_url, order_number, metadata,
      order_id)
    SELECT id, imported_as, owner, string_to_array(wallet_ids, ','), form, name, description, reference, amount, atoms, currency,
      callback_url, created_at, expires_at, voided_at, accepted_at, has_outlived_expiry, state, 0, return_url, order_number, metadata,
      order_id
    FROM unnest(
      ${column(({ id }) => id)}::uuid[], ${column(({ id, invoice }) => (invoice.id === id ? null : invoice.id))}::text[],
      ${column(({ invoice }) => invoice.owner)}::text[], ${column(({ walletIds }) => walletsText(walletIds))}::text[],
      ${column(({ invoice }) => formOf(invoice))}::smallint[], ${column(({ invoice }) => invoice.name)}::text[],
      ${column(({ invoice }) => invoice.description)}::text[], ${column(({ invoice }) => invoice.reference)}::text[],
      ${column(({ invoice }) => invoice.amount)}::text[], ${column(({ atoms }) => atoms)}::numeric[],
      ${column(({ invoice }) => invoice.currency)}::text[], ${column(({ invoice }) => invoice.callback_url)}::text[],
      ${column(({ invoice }) => invoice.created_at)}::bigint[], ${column(({ expiresAt }) => expiresAt)}::bigint[],
      ${column(({ voidedAt }) => voidedAt)}::bigint[], ${column(({ acceptedAt }) => acceptedAt)}::bigint[],
      ${column((row) => row.hasOutlivedExpiry)}::boolean[],
      ${column(({ state }) => state)}::smallint[], ${column(({ order }) => order.returnUrl)}::text[],
      ${column(({ order }) => order.orderNumber)}::text[], ${column(({ order }) => metadataColumn(order))}::text[],
      ${column(({ orderId }) => orderId)}::uuid[]
    ) AS n (id, imported_as, owner, wallet_ids, form, name, description, reference, amount, atoms, currency, callback_url, created_at,
      expires_at, voided_at, accepted_at, has_outlived_expiry, state, return_url, order_number, metadata, order_id)
    ORDER BY reference`
}

/** What changes of an invoice; what is absent stays as it is. */
interface InvoiceChange {
  readonly state?: State
  readonly voidedAt?: number
  /** Whether it is void no more. */
  readonly isRevived?: boolean
  readonly acceptedAt?: number
  readonly hasOutlivedExpiry?: boolean
  /** Matches that come, or go, and what of them was seen and confirmed. */
  readonly matches?: number
  readonly matchedSeen?: bigint
  readonly matchedConfirmed?: bigint
}

const INVOICE_CHANGES: Effect<InvoiceChange & { readonly id: string }> = {
  table: 'invoices',
  nameOf: ({ id }) => id,
  merge: (earlier, later) => ({
    ...earlier,
    ...later,
    ...(later.voidedAt === undefined ? {} : { isRevived: false }),
    matches: (earlier.matches ?? 0) + (later.matches ?? 0),
    matchedSeen: (earlier.matchedSeen ?? 0n) + (later.matchedSeen ?? 0n),
    matchedConfirmed: (earlier.matchedConfirmed ?? 0n) + (later.matchedConfirmed ?? 0n),
  }),
  statement: (changes) => {
    const column = <T>(of: (change: InvoiceChange) => T) => changes.map(of)
    return sql`
      UPDATE invoices AS i SET state = coalesce(new.state, i.state), 
        voided_at = CASE WHEN new.is_revived THEN NULL ELSE coalesce(new.voided_at, i.voided_at) END,
        accepted_at = coalesce(new.accepted_at, i.accepted_at),
        has_outlived_expiry = coalesce(new.has_outlived_expiry, i.has_outlived_expiry), matches = i.matches + new.matches,
        matched_seen = i.matched_seen + new.matched_seen, matched_confirmed = i.matched_confirmed + new.matched_confirmed
      FROM unnest(
        ${changes.map(({ id }) => id)}::uuid[], ${column(({ state = null }) => state)}::smallint[],
        ${column(({ voidedAt = null }) => voidedAt)}::bigint[], ${column(({ acceptedAt = null }) => acceptedAt)}::bigint[],
        ${column((one) => one.hasOutlivedExpiry ?? null)}::boolean[], ${column(({ isRevived = false }) => isRevived)}::boolean[],
        ${column(({ matches = 0 }) => matches)}::integer[], ${column(({ matchedSeen = 0n }) => matchedSeen)}::numeric[],
        ${column(({ matchedConfirmed = 0n }) => matchedConfirmed)}::numeric[]
      ) AS new (id, state, voided_at, accepted_at, has_outlived_expiry, is_revived, matches, matched_seen, matched_confirmed) WHERE i.id = new.id`
  },
}

/** Changes a locked invoice. */
export function changeInvoice(work: Work, row: InvoiceRow, change: InvoiceChange): void {
  work.touch(row)
  work.effect(INVOICE_CHANGES, { ...change, id: row.id })
}

function formOf({ wallet_ids }: Invoice): number {
  if (wallet_ids === null) return WALLET_IDS_FORM.null
  return wallet_ids === '' ? WALLET_IDS_FORM.empty : WALLET_IDS_FORM.joined
}

const SET_ID_BYTES = 16

/** Stands for a set of wallets, whatever their order: all invoices of an owner on the set receive the same deposits. */
export function setIdOf(walletIds: readonly string[]): Buffer {
  return hash('sha256', [...walletIds].sort().join(','), 'buffer').subarray(0, SET_ID_BYTES)
}

/** Selects the invoice that a client names: a condition on `i`. Null when no invoice has such a name. */
export function isNamed(name: string): Fragment | null {
  if (!INVOICE_ID.test(name)) return null
  if (name !== name.toLowerCase()) return sql`(i.imported_as = ${name} AND i.imported_as IS NOT NULL)`
  return sql`((i.id = ${name}::uuid AND i.imported_as IS NULL) OR (i.imported_as = ${name} AND i.imported_as IS NOT NULL))`
}
