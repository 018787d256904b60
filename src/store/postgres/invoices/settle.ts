import type { InvoiceEventType } from '../../../domain/event.js'
import { isPaid } from '../../../domain/payment.js'
import { decideExpiry, isCovered, isExpiryDue } from '../../../domain/voiding.js'
import { type Fragment, sql } from '../connection/sql.js'
import type { Work } from '../connection/work.js'
import { type Account, lastToReceive } from '../payments/sums.js'
import {
  CALLBACK,
  callbackOf,
  type InvoiceColumns,
  type InvoiceRow,
  STATE,
  selectInvoices,
  toRow,
} from './invoice-rows.js'
import { enterOpen, enterPaid, leaveOpen, leavePaid, markMatched } from './places.js'

/*
 * What becomes of invoices:
 *
 *     open    not known to be paid          until a search finds it paid (`isUnpaid`)
 *     paid    found paid                    until a reorganisation takes the payment away (`reopen`)
 *     void    by request or by expiry       for ever
 *
 * A transaction that changes an invoice, or decides by what it received, locks the invoice's row before it reads. So of two
 * deposits to two of its wallets, the later one sees both.
 */

/** Locks invoices and reads them, in the order of their ids. */
export async function lockInvoices(work: Work, ids: readonly string[]): Promise<readonly InvoiceRow[]> {
  if (ids.length === 0) return []
  work.lock(sql`SELECT i.id FROM invoices AS i WHERE i.id = ANY(${ids}::uuid[]) ORDER BY i.id FOR UPDATE`)
  return readInvoices(work, ids)
}

/** The invoice that the store itself has named, locked. */
export async function lockInvoice(work: Work, id: string): Promise<InvoiceRow> {
  const [row] = await lockInvoices(work, [id])
  if (row === undefined) throw new Error('an index names an invoice that is not there')
  return row
}

/** Reads invoices that are locked, in the order of their ids. */
export async function readInvoices(work: Work, ids: readonly string[]): Promise<readonly InvoiceRow[]> {
  if (ids.length === 0) return []
  const rows = await work.rows<InvoiceColumns>(selectInvoices(sql`i.id = ANY(${ids}::uuid[])`, sql`ORDER BY i.id`))
  return rows.map(toRow)
}

/** The row of a locked invoice, with its expiry decided if it is due. */
export function decided(work: Work, row: InvoiceRow): InvoiceRow {
  if (!isExpiryDue(row, work.nowMs)) return row
  const ending = decideExpiry(row, isCovered(row.atoms, row.received))
  if (ending.voidedAt !== null) return voided(work, row, ending.voidedAt, 'invoice.expired')
  work.touch(row)
  work.write(sql`UPDATE invoices SET has_outlived_expiry = true WHERE id = ${row.id}::uuid`)
  return { ...row, ...ending }
}

/** Voids a locked invoice. */
export function voided(work: Work, row: InvoiceRow, at: number, event: InvoiceEventType): InvoiceRow {
  work.touch(row)
  work.write(sql`UPDATE invoices SET state = ${STATE.void}::smallint, voided_at = ${at} WHERE id = ${row.id}::uuid`)
  if (row.state === STATE.open) leaveOpen(work, row)
  if (row.state === STATE.paid) leavePaid(work, row)
  logInvoice(work, event, row)
  return { ...row, state: STATE.void, voidedAt: at }
}

/** Whether a locked open invoice is unpaid and not void. One that turns out to be paid is settled. */
export function isUnpaid(work: Work, open: InvoiceRow): boolean {
  const row = decided(work, open)
  if (row.state !== STATE.open) return false
  if (!isPaidNow(row)) return true
  leaveOpen(work, row)
  enterPaid(work, row, isUnmatched(row))
  setState(work, row, STATE.paid)
  logInvoice(work, 'invoice.paid', row)
  return false
}

export function isPaidNow({ atoms, received }: InvoiceRow): boolean {
  return isPaid(atoms, received.confirmed)
}

/** Whether a deposit may still be the first to match it. One without a reference is never matched. */
export function isUnmatched({ invoice, matches }: Pick<InvoiceRow, 'invoice' | 'matches'>): boolean {
  return matches === 0 && callbackOf(invoice) !== CALLBACK.none
}

/** A deposit matched a locked invoice. */
export function addMatch(work: Work, row: InvoiceRow): void {
  work.touch(row)
  work.write(sql`UPDATE invoices SET matches = matches + 1 WHERE id = ${row.id}::uuid`)
  if (row.matches === 0 && row.state === STATE.paid) markMatched(work, row, true)
}

/** A deposit that had matched a locked invoice was dropped. */
export function giveBackMatch(work: Work, row: InvoiceRow): void {
  if (row.matches < 1) throw new Error('an invoice has no match to give back')
  work.touch(row)
  work.write(sql`UPDATE invoices SET matches = matches - 1 WHERE id = ${row.id}::uuid`)
  if (row.matches === 1 && row.state === STATE.paid) markMatched(work, row, false)
}

/**
 * A confirmed deposit left the account of a wallet: invoices created before it may be unpaid again. Those created up to the
 * last moment after which the rest of the account covers the greatest amount ever paid stay paid.
 */
export async function reopen(work: Work, walletId: string, account: Account, receivedAt: number): Promise<void> {
  const { currency } = account
  const greatest = await work.row<{ atoms: bigint }>(
    sql`SELECT atoms FROM paid_amounts WHERE wallet_id = ${walletId} AND currency = ${currency}`,
  )
  if (greatest === undefined) return
  const covered = await lastToReceive(work, account, greatest.atoms, receivedAt)
  const places = await work.rows<{ invoice_id: string }>(sql`
    SELECT p.invoice_id FROM paid_places AS p JOIN invoices AS i ON i.id = p.invoice_id
    WHERE p.wallet_id = ${walletId} AND p.currency = ${currency}
      AND i.created_at > ${covered ?? -1}::bigint AND i.created_at < ${receivedAt}::bigint`)
  for (const row of await lockInvoices(
    work,
    places.map(({ invoice_id }) => invoice_id),
  )) {
    if (row.state !== STATE.paid || isPaidNow(row)) continue
    leavePaid(work, row)
    enterOpen(work, [row])
    setState(work, row, STATE.open)
    logInvoice(work, 'invoice.unpaid', row)
  }
}

/** Expiries that one unit decides. More fall due between two units only when thousands were made to expire together. */
const EXPIRED_AT_ONCE = 100

/**
 * Decides the expiries that are due: an invoice that was to expire before a deposit does not live on because of it. False when
 * there may be more.
 */
export async function expireDue(work: Work): Promise<boolean> {
  const due = await work.rows<{ id: string }>(selectDue(sql`${work.nowMs}::bigint`, EXPIRED_AT_ONCE))
  const rows = await lockInvoices(
    work,
    due.map(({ id }) => id),
  )
  for (const row of rows.toSorted(byExpiry)) decided(work, row)
  return due.length < EXPIRED_AT_ONCE
}

/** In the order in which they expire, which is that of their events. */
function byExpiry(one: InvoiceRow, other: InvoiceRow): number {
  return (one.expiresAt ?? 0) - (other.expiresAt ?? 0) || (one.id < other.id ? -1 : 1)
}

/** The ids of invoices whose expiry is due and not decided. */
export function selectDue(now: Fragment, limit: number): Fragment {
  return sql`SELECT i.id FROM invoices AS i
    WHERE i.expires_at <= ${now} AND i.voided_at IS NULL AND NOT i.has_outlived_expiry ORDER BY i.expires_at LIMIT ${limit}::bigint`
}

/** Enters what became of an invoice into the log of its owner. */
export function logInvoice(
  work: Work,
  type: InvoiceEventType,
  { id, invoice }: Pick<InvoiceRow, 'id' | 'invoice'>,
): void {
  work.log(invoice.owner, { type, invoiceId: id, data: null })
}

function setState(work: Work, row: InvoiceRow, state: number): void {
  work.touch(row)
  work.write(sql`UPDATE invoices SET state = ${state}::smallint WHERE id = ${row.id}::uuid`)
}
