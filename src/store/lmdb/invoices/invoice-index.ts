import type { Currency } from '../../../domain/amount.js'
import { walletsOf } from '../../../domain/invoice.js'
import { isPaid } from '../../../domain/payment.js'
import { decideExpiry, isCovered, isExpiryDue } from '../../../domain/voiding.js'
import type { Commit } from '../commit/commit-loop.js'
import { confirmedFor, receivedFor } from '../payments/payments.js'
import { type Account, lastToReceive } from '../payments/running-totals.js'
import type { InvoiceId, SetNo, WalletNo } from '../tables/names.js'
import { findWallet } from '../wallets/wallets.js'
import { takeExpired } from './expiries.js'
import { CALLBACK, type IndexedInvoice, placeOf } from './invoice-places.js'
import { atomsOf, type InvoiceRow, invoiceRow, putInvoiceRow } from './invoice-rows.js'
import { addMatch, isMatched, removeMatch } from './matches.js'
import { enterOpen, isOpen, leaveOpen } from './open-invoices.js'
import {
  enterPaid,
  enterUnmatched,
  greatestPaid,
  isAmongPaid,
  leavePaid,
  leaveUnmatched,
  paidBetween,
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

/**
 * Invoices whose expiry is decided before one command. More fall due between two commands only when thousands were made to
 * expire together; those are judged by the clock where they are met, until a later command decides.
 */
const EXPIRED_AT_ONCE = 1000

export function indexed(commit: Commit, id: InvoiceId, row: InvoiceRow): IndexedInvoice {
  const { ownerNo } = findSet(commit, row.setNo)
  return {
    id,
    places: walletsOf(row).map((walletId) => placeOf(walletNoOf(commit, walletId), ownerNo)),
    setNo: row.setNo,
    currency: row.currency,
    amount: atomsOf(row),
    callback: callbackOf(row),
  }
}

/** How many wallets the invoices of a set have. */
export function walletCountOf(commit: Commit, setNo: SetNo): number {
  return findSet(commit, setNo).walletIds.length
}

/** Decides about the invoices whose expiry is due. */
export function expireDue(commit: Commit): void {
  for (let taken = 0; taken < EXPIRED_AT_ONCE; taken += 1) {
    const id = takeExpired(commit)
    if (id === null) return
    decidedRow(commit, id)
  }
}

/** The row of an invoice, whose expiry is decided if it is due. A void invoice is in no index. */
export function decidedRow(commit: Commit, id: InvoiceId): InvoiceRow {
  const row = invoiceRow(commit, id)
  if (!isExpiryDue(row, commit.nowMs)) return row
  const decided = { ...row, ...decideExpiry(row, isCoveredNow(commit, row)) }
  putDecided(commit, id, decided)
  return decided
}

/** Paid or being paid. */
export function isCoveredNow(commit: Commit, row: InvoiceRow): boolean {
  return isCovered(atomsOf(row), receivedFor(commit, row))
}

/** Keeps what was decided about an open invoice; a void one leaves the index. */
export function putDecided(commit: Commit, id: InvoiceId, row: InvoiceRow): void {
  putInvoiceRow(commit, id, row)
  if (row.voidedAt !== null) leaveOpen(commit, indexed(commit, id, row))
}

/** Whether an open invoice is unpaid and not void. One that turns out to be paid is settled. */
export function isUnpaid(commit: Commit, id: InvoiceId): boolean {
  const row = decidedRow(commit, id)
  if (row.voidedAt !== null) return false
  if (!isPaidNow(commit, row)) return true
  const invoice = indexed(commit, id, row)
  leaveOpen(commit, invoice)
  enterAsPaid(commit, invoice)
  return false
}

export function isPaidNow(commit: Commit, row: InvoiceRow): boolean {
  return isPaid(atomsOf(row), confirmedFor(commit, row))
}

/** A deposit matched the invoice. */
export function matchInvoice(commit: Commit, id: InvoiceId): void {
  if (!addMatch(commit, id)) return
  const invoice = indexed(commit, id, invoiceRow(commit, id))
  if (isAmongPaid(commit, invoice)) leaveUnmatched(commit, invoice)
}

/** A deposit that had matched the invoice was dropped. */
export function giveBackMatch(commit: Commit, id: InvoiceId): void {
  if (!removeMatch(commit, id)) return
  const invoice = indexed(commit, id, invoiceRow(commit, id))
  if (isAmongPaid(commit, invoice)) enterUnmatched(commit, invoice)
}

/** Settles an open invoice that a confirmed deposit matched, when it is paid by now. */
export function settleIfPaid(commit: Commit, id: InvoiceId): void {
  if (isOpen(commit, indexed(commit, id, invoiceRow(commit, id)))) isUnpaid(commit, id)
}

/**
 * A confirmed deposit left the account of a wallet: invoices created before it may be unpaid again. Everything created
 * up to the last moment that the rest of the account covers, whatever was asked, stays paid.
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
    const invoice = indexed(commit, id, row)
    leavePaid(commit, invoice)
    if (!isMatched(commit, id)) leaveUnmatched(commit, invoice)
    enterOpen(commit, invoice)
  }
}

/** Enters an invoice that is paid. */
export function enterAsPaid(commit: Commit, invoice: IndexedInvoice): void {
  enterPaid(commit, invoice)
  if (!isMatched(commit, invoice.id)) enterUnmatched(commit, invoice)
}

/** How an invoice is notified. */
export function callbackOf({ reference, callback_url }: Pick<InvoiceRow, 'reference' | 'callback_url'>) {
  if (reference === null) return CALLBACK.none
  return callback_url === null ? CALLBACK.default : CALLBACK.own
}

function walletNoOf(commit: Commit, walletId: string): WalletNo {
  const wallet = findWallet(commit, walletId)
  if (wallet === undefined) throw new Error('an invoice names a wallet that is not there')
  return wallet.no
}
