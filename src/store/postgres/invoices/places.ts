import { CALLBACK, callbackOf, isUnmatched } from '../../rules/callbacks.js'
import { sql } from '../connection/sql.js'
import type { Work } from '../connection/work.js'
import { type InvoiceRow, type NewInvoice, setIdOf } from './invoice-rows.js'

/*
 * Keeps the invoices on wallets where collisions and deposits look for them: the open ones in `open_places`, those found paid in
 * `paid_places`, the void ones nowhere. An invoice that was paid by deposits that were meant for others stays open until a search
 * meets it.
 */

/** Enters open invoices. */
export function enterOpen(work: Work, rows: readonly NewInvoice[]): void {
  const places = rows.flatMap((row) => row.walletIds.map((walletId) => ({ walletId, row })))
  const sets = new Map(rows.map((row) => [row, setIdOf(row.walletIds)]))
  const column = <T>(of: (row: NewInvoice) => T) => places.map(({ row }) => of(row))
  work.write(sql`
    INSERT INTO open_places (wallet_id, owner, set_id, currency, callback, invoice_id, atoms)
    SELECT * FROM unnest(
      ${places.map(({ walletId }) => walletId)}::text[], ${column(({ invoice }) => invoice.owner)}::text[],
      ${column((row) => sets.get(row) ?? Buffer.of())}::bytea[], ${column(({ invoice }) => invoice.currency)}::text[],
      ${column(({ invoice }) => callbackOf(invoice))}::smallint[], ${column(({ id }) => id)}::uuid[],
      ${column(({ atoms }) => atoms)}::numeric[])`)
}

export function leaveOpen(work: Work, { id, invoice, walletIds }: InvoiceRow): void {
  work.write(sql`
    DELETE FROM open_places WHERE wallet_id = ANY(${walletIds}::text[]) AND owner = ${invoice.owner}
      AND set_id = ${setIdOf(walletIds)} AND currency = ${invoice.currency} AND callback = ${callbackOf(invoice)}::smallint
      AND invoice_id = ${id}::uuid`)
}

/** Enters an invoice that is paid. `matches`: how many deposits have matched it. */
export function enterPaid(work: Work, { id, invoice, walletIds, atoms }: NewInvoice, matches: number): void {
  const { owner, currency } = invoice
  const callback = callbackOf(invoice)
  work.write(sql`
    INSERT INTO paid_places (wallet_id, currency, owner, callback, invoice_id, atoms, is_unmatched)
    SELECT wallet_id, ${currency}, ${owner}, ${callback}::smallint, ${id}::uuid, ${atoms}::numeric, ${isUnmatched(callback, matches)}
    FROM unnest(${walletIds}::text[]) AS place (wallet_id)`)
  work.write(sql`
    INSERT INTO paid_amounts AS known (wallet_id, currency, atoms)
    SELECT wallet_id, ${currency}, ${atoms}::numeric FROM unnest(${walletIds}::text[]) AS place (wallet_id) ORDER BY wallet_id
    ON CONFLICT (wallet_id, currency) DO UPDATE SET atoms = excluded.atoms WHERE known.atoms < excluded.atoms`)
}

export function leavePaid(work: Work, { id, invoice, walletIds }: InvoiceRow): void {
  work.write(sql`DELETE FROM paid_places WHERE ${placesOf(walletIds, invoice, id)}`)
}

/** Notes whether a deposit has matched an invoice that was found paid. One without a reference is never matched. */
export function markMatched(work: Work, { id, invoice, walletIds }: InvoiceRow, isMatched: boolean): void {
  if (callbackOf(invoice) === CALLBACK.none) return
  work.write(sql`UPDATE paid_places SET is_unmatched = ${!isMatched} WHERE ${placesOf(walletIds, invoice, id)}`)
}

function placesOf(walletIds: readonly string[], invoice: InvoiceRow['invoice'], id: string) {
  const { owner, currency } = invoice
  return sql`wallet_id = ANY(${walletIds}::text[]) AND currency = ${currency} AND owner = ${owner}
    AND callback = ${callbackOf(invoice)}::smallint AND invoice_id = ${id}::uuid`
}
