import type { Slice } from '../../../base/turns.js'
import type { Currency } from '../../../domain/amount.js'
import type { InvoiceEventType } from '../../../domain/event.js'
import { isPaid } from '../../../domain/payment.js'
import { decideExpiry, isCovered, isExpiryDue } from '../../../domain/voiding.js'
import type { Commit, Snapshot } from '../commit/commit-loop.js'
import { logEvent } from '../events/event-log.js'
import { invoiceEvent } from '../events/event-rows.js'
import { confirmedFor, receivedFor } from '../payments/payments.js'
import { type Account, lastToReceive } from '../payments/running-totals.js'
import { type InvoiceId, idOfKey, timeKey, type WalletNo, WIDE_BYTES } from '../tables/keys.js'
import { firstKey, NOTHING } from '../tables/tables.js'
import { indexed } from './invoice-places.js'
import { atomsOf, type InvoiceRow, invoiceRow, putInvoiceRow } from './invoice-rows.js'
import { enterOpen, isOpen, leaveOpen } from './open-invoices.js'
import {
  addMatch,
  enterPaid,
  enterUnmatched,
  greatestPaid,
  isAmongPaid,
  leavePaid,
  leaveUnmatched,
  paidBetween,
  removeMatch,
} from './paid-invoices.js'
import { findSet } from './wallet-sets.js'

/*
 * Keeps the invoices on wallets where collisions and deposits look for them. An invoice that is not void is in one of two
 * states:
 *
 *     open    not known to be paid          until a search finds it paid (`isUnpaid`)
 *     paid    found paid                    until a reorganisation takes the payment away (`reopen`)
 *
 * A paid invoice never stands in the way of a search, however much a wallet has sold. An open one that was paid by deposits
 * that were meant for others is found out by the first search that meets it, once.
 */

/** Behind every key of `expiries`. */
const BEHIND_EXPIRIES = Buffer.alloc(WIDE_BYTES + 1, 0xff)

export function addExpiry({ tables, caches }: Commit, expiresAt: number, id: InvoiceId): void {
  tables.expiries.putSync(expiryKey(expiresAt, id), NOTHING)
  if (caches.firstExpiryAt !== null) caches.firstExpiryAt = Math.min(caches.firstExpiryAt, expiresAt)
}

export function expiryKey(expiresAt: number, id: InvoiceId): Buffer {
  return Buffer.concat([timeKey(expiresAt), id])
}

/**
 * Decides the expiries that are due, as many as the slice allows, which may be none. False when there may be more. More fall due
 * between two commands than these have time for only when many were made to expire together; those are judged by the clock where they
 * are met, until they are decided.
 */
export function expireDue(commit: Commit, slice: Slice): boolean {
  while (!slice.isOver) {
    const id = takeExpired(commit)
    if (id === null) return true
    const { setNo } = decidedRow(commit, id)
    slice.touch(LOOKUPS_EACH + LOOKUPS_PER_WALLET * findSet(commit, setNo).walletIds.length)
  }
  return false
}

/** What it costs to decide about an invoice: its row, and for each wallet the sums and the index. */
export const LOOKUPS_EACH = 2
export const LOOKUPS_PER_WALLET = 3

/** Whether the first expiry is due. */
export function isExpiryNext({ tables, nowMs }: Snapshot): boolean {
  return firstKey(tables.expiries, NOTHING, timeKey(nowMs + 1)) !== undefined
}

/** Takes out the first invoice that is due to expire; null when none is. */
function takeExpired({ tables, caches, nowMs }: Commit): InvoiceId | null {
  if (caches.firstExpiryAt !== null && caches.firstExpiryAt > nowMs) return null
  const key = firstKey(tables.expiries, NOTHING, BEHIND_EXPIRIES)
  const dueAt = key?.readUIntBE(0, WIDE_BYTES) ?? Number.POSITIVE_INFINITY
  caches.firstExpiryAt = dueAt
  if (key === undefined || dueAt > nowMs) return null
  tables.expiries.removeSync(key)
  return idOfKey<InvoiceId>(key)
}

/** The row of an invoice. Its expiry is decided if it is due. A void invoice is in no index. */
export function decidedRow(commit: Commit, id: InvoiceId): InvoiceRow {
  const row = invoiceRow(commit, id)
  if (!isExpiryDue(row, commit.nowMs)) return row
  const decided = { ...row, ...decideExpiry(row, isCoveredNow(commit, row)) }
  putDecided(commit, decided)
  if (decided.voidedAt !== null) logInvoice(commit, 'invoice.expired', decided)
  return decided
}

/** Enters what became of an invoice into the log of its owner. */
export function logInvoice(commit: Commit, type: InvoiceEventType, { id, setNo }: InvoiceRow): void {
  logEvent(commit, findSet(commit, setNo).ownerNo, invoiceEvent(type, id))
}

/** Whether an invoice is paid or being paid. */
export function isCoveredNow(commit: Commit, row: InvoiceRow): boolean {
  return isCovered(atomsOf(row.invoice), receivedFor(commit, row.invoice))
}

/** Writes what was decided about an open invoice; a void one leaves the index. */
export function putDecided(commit: Commit, row: InvoiceRow): void {
  putInvoiceRow(commit, row)
  if (row.voidedAt !== null) leaveOpen(commit, indexed(commit, row))
}

/** Whether an open invoice is unpaid and not void. One that turns out to be paid is settled. */
export function isUnpaid(commit: Commit, id: InvoiceId): boolean {
  const row = decidedRow(commit, id)
  if (row.voidedAt !== null) return false
  if (!isPaidNow(commit, row)) return true
  const invoice = indexed(commit, row)
  leaveOpen(commit, invoice)
  enterPaid(commit, invoice)
  logInvoice(commit, 'invoice.paid', row)
  return false
}

export function isPaidNow(commit: Commit, { invoice }: InvoiceRow): boolean {
  return isPaid(atomsOf(invoice), confirmedFor(commit, invoice))
}

/** A deposit matched the invoice. */
export function matchInvoice(commit: Commit, id: InvoiceId): void {
  if (!addMatch(commit, id)) return
  const invoice = indexed(commit, invoiceRow(commit, id))
  if (isAmongPaid(commit, invoice)) leaveUnmatched(commit, invoice)
}

/** A deposit that had matched the invoice was dropped. */
export function giveBackMatch(commit: Commit, id: InvoiceId): void {
  if (!removeMatch(commit, id)) return
  const invoice = indexed(commit, invoiceRow(commit, id))
  if (isAmongPaid(commit, invoice)) enterUnmatched(commit, invoice)
}

/** Settles an open invoice that a confirmed deposit matched, when it is paid by now. */
export function settleIfPaid(commit: Commit, id: InvoiceId): void {
  if (isOpen(commit, indexed(commit, invoiceRow(commit, id)))) isUnpaid(commit, id)
}

/**
 * A confirmed deposit left the account of a wallet: invoices created before it may be unpaid again. Those created up to
 * the last moment after which the rest of the account covers the greatest amount ever paid stay paid.
 */
export function reopen(
  commit: Commit,
  walletNo: WalletNo,
  currency: Currency,
  account: Account,
  receivedAt: number,
): void {
  const greatest = greatestPaid(commit, walletNo, currency)
  const covered = lastToReceive(commit.tables.confirmedTotals, account, greatest, receivedAt)
  for (const id of paidBetween(commit, walletNo, currency, covered === null ? 0 : covered + 1, receivedAt)) {
    const row = invoiceRow(commit, id)
    if (isPaidNow(commit, row)) continue
    const invoice = indexed(commit, row)
    leavePaid(commit, invoice)
    enterOpen(commit, invoice)
    logInvoice(commit, 'invoice.unpaid', row)
  }
}
