import { callbackOf } from '../../rules/callbacks.js'
import type { Effect } from '../connection/effects.js'
import { type Fragment, sql } from '../connection/sql.js'
import type { Work } from '../connection/work.js'
import { type InvoiceRow, type NewInvoice, setIdOf } from './invoice-rows.js'
import { walletsIn, walletsText } from './wallets-text.js'

/*
 * Keeps the invoices on wallets where collisions and deposits look for them: the open ones in `open_places`, those found paid in
 * `paid_places`, the void ones in `void_places`, where what comes for nobody else looks for them. An invoice that was paid by deposits that were meant for others stays open until a search
 * meets it.
 */

/** Enters open invoices. */
export function enterOpen(work: Work, rows: readonly NewInvoice[]): void {
  for (const row of rows) work.effect(ENTER_OPEN, row)
}

export function leaveOpen(work: Work, row: InvoiceRow): void {
  work.effect(LEAVE_OPEN, row)
}

/** Enters an invoice that is paid. `matches`: how many deposits have matched it. */
export function enterPaid(work: Work, row: NewInvoice, matches: number): void {
  work.effect(ENTER_PAID, { row, isUnmatched: matches === 0 })
}

export function leavePaid(work: Work, row: InvoiceRow): void {
  work.effect(LEAVE_PAID, { row, isUnmatched: false })
}

/** Notes whether a deposit has matched an invoice that was found paid. */
export function markMatched(work: Work, row: InvoiceRow, isMatched: boolean): void {
  work.effect(MARK_MATCHED, { row, isUnmatched: !isMatched })
}

/** Enters void invoices. */
export function enterVoid(work: Work, rows: readonly NewInvoice[]): void {
  for (const row of rows) work.effect(ENTER_VOID, row)
}

/** Takes out an invoice that lives again. */
export function leaveVoid(work: Work, row: InvoiceRow): void {
  work.write(
    sql`DELETE FROM void_places WHERE invoice_id = ${row.id}::uuid AND wallet_id = ANY(${row.walletIds}::text[])`,
  )
}

interface Marked {
  readonly row: NewInvoice
  readonly isUnmatched: boolean
}

const idOf = ({ id }: NewInvoice) => id
const idOfMarked = ({ row }: Marked) => row.id

const ENTER_OPEN: Effect<NewInvoice> = {
  table: 'open_places',
  nameOf: idOf,
  statement: (rows) => {
    const column = <T>(of: (row: NewInvoice) => T) => rows.map(of)
    return sql`
      INSERT INTO open_places (wallet_id, owner, set_id, currency, callback, invoice_id, atoms)
      SELECT ${walletsIn(sql`p.wallet_ids`)}, p.owner, p.set_id, p.currency, p.callback, p.invoice_id, p.atoms
      FROM unnest(
        ${column(({ walletIds }) => walletsText(walletIds))}::text[], ${column(({ invoice }) => invoice.owner)}::text[],
        ${column(({ walletIds }) => setIdOf(walletIds))}::bytea[], ${column(({ invoice }) => invoice.currency)}::text[],
        ${column(({ invoice }) => callbackOf(invoice))}::smallint[], ${column(({ id }) => id)}::uuid[],
        ${column(({ atoms }) => atoms)}::numeric[]
      ) AS p (wallet_ids, owner, set_id, currency, callback, invoice_id, atoms)`
  },
}

const LEAVE_OPEN: Effect<NewInvoice> = {
  table: 'open_places',
  nameOf: idOf,
  statement: (rows) => sql`
    DELETE FROM open_places AS known USING ${openPlacesOf(rows)} WHERE known.wallet_id = p.wallet_id AND known.owner = p.owner
      AND known.set_id = p.set_id AND known.currency = p.currency AND known.callback = p.callback AND known.invoice_id = p.invoice_id`,
}

/** Raises the greatest amounts, too. */
const ENTER_PAID: Effect<Marked> = {
  table: 'paid_places',
  nameOf: idOfMarked,
  statement: (marked) => sql`
    WITH p AS (SELECT * FROM ${paidPlacesOf(marked)}), entered AS (
      INSERT INTO paid_places (wallet_id, currency, owner, callback, invoice_id, atoms, is_unmatched)
      SELECT p.wallet_id, p.currency, p.owner, p.callback, p.invoice_id, p.atoms, p.is_unmatched FROM p
    )
    INSERT INTO paid_amounts AS known (wallet_id, currency, atoms)
    SELECT p.wallet_id, p.currency, max(p.atoms) FROM p GROUP BY p.wallet_id, p.currency ORDER BY p.wallet_id, p.currency
    ON CONFLICT (wallet_id, currency) DO UPDATE SET atoms = excluded.atoms WHERE known.atoms < excluded.atoms`,
}

const LEAVE_PAID: Effect<Marked> = {
  table: 'paid_places',
  nameOf: idOfMarked,
  statement: (marked) => sql`DELETE FROM paid_places AS known USING ${paidPlacesOf(marked)} WHERE ${IS_SAME_PAID}`,
}

const MARK_MATCHED: Effect<Marked> = {
  table: 'paid_places',
  nameOf: idOfMarked,
  statement: (marked) => sql`
    UPDATE paid_places AS known SET is_unmatched = p.is_unmatched FROM ${paidPlacesOf(marked)} WHERE ${IS_SAME_PAID}`,
}

const ENTER_VOID: Effect<NewInvoice> = {
  table: 'void_places',
  nameOf: idOf,
  statement: (rows) => {
    const places = rows.flatMap((row) => row.walletIds.map((walletId) => ({ walletId, row })))
    const column = <T>(of: (row: NewInvoice) => T) => places.map(({ row }) => of(row))
    return sql`
      INSERT INTO void_places (wallet_id, owner, currency, voided_at, invoice_id)
      SELECT * FROM unnest(
        ${places.map(({ walletId }) => walletId)}::text[], ${column(({ invoice }) => invoice.owner)}::text[],
        ${column(({ invoice }) => invoice.currency)}::text[], ${column(({ voidedAt }) => voidedAt)}::bigint[],
        ${column(({ id }) => id)}::uuid[])`
  },
}

const IS_SAME_PAID = sql`known.wallet_id = p.wallet_id AND known.currency = p.currency AND known.owner = p.owner
    AND known.callback = p.callback AND known.invoice_id = p.invoice_id`

/** The places of open invoices, one for each of their wallets, as `p`. */
function openPlacesOf(rows: readonly NewInvoice[]): Fragment {
  const places = rows.flatMap((row) => {
    const setId = setIdOf(row.walletIds)
    return row.walletIds.map((walletId) => ({ walletId, row, setId }))
  })
  const column = <T>(of: (row: NewInvoice) => T) => places.map(({ row }) => of(row))
  return sql`unnest(
      ${places.map(({ walletId }) => walletId)}::text[], ${column(({ invoice }) => invoice.owner)}::text[],
      ${places.map(({ setId }) => setId)}::bytea[], ${column(({ invoice }) => invoice.currency)}::text[],
      ${column(({ invoice }) => callbackOf(invoice))}::smallint[], ${column(({ id }) => id)}::uuid[],
      ${column(({ atoms }) => atoms)}::numeric[]
    ) AS p (wallet_id, owner, set_id, currency, callback, invoice_id, atoms)`
}

/** The places of invoices that were found paid, likewise. */
function paidPlacesOf(marked: readonly Marked[]): Fragment {
  const places = marked.flatMap((one) => one.row.walletIds.map((walletId) => ({ ...one, walletId })))
  const column = <T>(of: (row: NewInvoice) => T) => places.map(({ row }) => of(row))
  return sql`unnest(
      ${places.map(({ walletId }) => walletId)}::text[], ${column(({ invoice }) => invoice.owner)}::text[],
      ${column(({ invoice }) => invoice.currency)}::text[], ${column(({ invoice }) => callbackOf(invoice))}::smallint[],
      ${column(({ id }) => id)}::uuid[], ${column(({ atoms }) => atoms)}::numeric[],
      ${places.map((place) => place.isUnmatched)}::boolean[]
    ) AS p (wallet_id, owner, currency, callback, invoice_id, atoms, is_unmatched)`
}
