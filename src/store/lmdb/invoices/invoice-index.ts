import type { Slice } from '../../../base/turns.js'
import type { InvoiceEventType } from '../../../domain/event.js'
import { isPaid } from '../../../domain/payment.js'
import { type Ending, isCovered, outlives } from '../../../domain/voiding.js'
import type { Asking } from '../../rules/asking.js'
import * as life from '../../rules/invoice-life.js'
import type { Commit, Snapshot } from '../commit/commit.js'
import { logEvent } from '../events/event-log.js'
import { invoiceEvent } from '../events/event-rows.js'
import { confirmedFor, receivedFor, sumsFor } from '../payments/payments.js'
import { type Account, totalAfter } from '../payments/running-totals.js'
import type { CurrencyNo } from '../tables/currencies.js'
import { type InvoiceId, idOfKey, timeKey, type WalletNo, WIDE_BYTES } from '../tables/keys.js'
import { firstKey, NOTHING } from '../tables/tables.js'
import { indexed } from './invoice-places.js'
import { atomsOf, type InvoiceRow, invoiceRow, putInvoiceRow } from './invoice-rows.js'
import { changeMatches } from './matches.js'
import { enterOpen, isOpen, leaveOpen } from './open-invoices.js'
import { enterPaid, greatestPaid, isAmongPaid, leavePaid, markMatched, paidBetween } from './paid-invoices.js'
import { enterVoid, leaveVoid } from './void-invoices.js'
import { findSet } from './wallet-sets.js'

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
    const { setNo } = decideExpiryOf(commit, id)
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

/** The life of the invoices, in LMDB: the open ones and those found paid are in the indexes on their wallets, a void or accepted one in none. */
export class LmdbInvoiceLife implements life.InvoiceLife<InvoiceRow> {
  constructor(protected readonly commit: Commit) {}

  get nowMs(): number {
    return this.commit.nowMs
  }

  isCovered({ invoice }: InvoiceRow): boolean {
    return isCovered(atomsOf(invoice), receivedFor(this.commit, invoice))
  }

  outlivesExpiry(row: InvoiceRow): boolean {
    if (row.orderId === null) return this.isCovered(row)
    return outlives(atomsOf(row.invoice), sumsFor(this.commit, row), true)
  }

  isPaid(row: InvoiceRow): boolean {
    return isPaidNow(this.commit, row)
  }

  end(row: InvoiceRow, { expiresAt, voidedAt, acceptedAt, hasOutlivedExpiry }: Ending): InvoiceRow {
    const ended = { ...row, expiresAt, voidedAt, acceptedAt, hasOutlivedExpiry }
    putInvoiceRow(this.commit, ended)
    if (voidedAt === null && acceptedAt === null) {
      // It may have been moved here while nothing was to be decided about it.
      if (expiresAt !== null && !hasOutlivedExpiry) addExpiry(this.commit, expiresAt, row.id)
      return ended
    }
    const invoice = indexed(this.commit, ended)
    if (isAmongPaid(this.commit, invoice)) leavePaid(this.commit, invoice)
    else leaveOpen(this.commit, invoice)
    if (voidedAt !== null) enterVoid(this.commit, invoice, voidedAt)
    return ended
  }

  revive(row: InvoiceRow, { expiresAt, hasOutlivedExpiry }: Ending): InvoiceRow {
    if (row.voidedAt === null) throw new Error('an invoice lives again that was not void')
    const invoice = indexed(this.commit, row)
    leaveVoid(this.commit, invoice, row.voidedAt)
    const revived = { ...row, expiresAt, voidedAt: null, acceptedAt: null, hasOutlivedExpiry }
    putInvoiceRow(this.commit, revived)
    enterOpen(this.commit, invoice)
    if (expiresAt !== null && !hasOutlivedExpiry) addExpiry(this.commit, expiresAt, row.id)
    return revived
  }

  enterPaid(row: InvoiceRow): void {
    const invoice = indexed(this.commit, row)
    leaveOpen(this.commit, invoice)
    enterPaid(this.commit, invoice)
  }

  enterOpen(row: InvoiceRow): void {
    const invoice = indexed(this.commit, row)
    leavePaid(this.commit, invoice)
    enterOpen(this.commit, invoice)
  }

  log(type: InvoiceEventType, { id, setNo }: InvoiceRow): void {
    logEvent(this.commit, findSet(this.commit, setNo).ownerNo, invoiceEvent(type, id))
  }
}

/** The row of an invoice, with its expiry decided if it is due. */
export function decideExpiryOf(commit: Commit, id: InvoiceId): InvoiceRow {
  return life.decideExpiryOf(new LmdbInvoiceLife(commit), invoiceRow(commit, id))
}

/** Settles an open invoice if it turns out to be paid, and decides its expiry. Answers what has become of it. */
export function settleIfPaid(commit: Commit, id: InvoiceId): life.Standing {
  return life.settleIfPaid(new LmdbInvoiceLife(commit), invoiceRow(commit, id))
}

export function isPaidNow(commit: Commit, { invoice }: InvoiceRow): boolean {
  return isPaid(atomsOf(invoice), confirmedFor(commit, invoice))
}

/** Brings the matches of an invoice up to date with a deposit. */
export function changeMatch(commit: Commit, id: InvoiceId, by: life.MatchChange): void {
  life.changeMatch(new LmdbMatches(commit), id, by)
}

class LmdbMatches implements life.Matches<InvoiceId> {
  constructor(private readonly commit: Commit) {}

  change(id: InvoiceId, by: life.MatchChange): number {
    return changeMatches(this.commit, id, by)
  }

  mark(id: InvoiceId, isMatched: boolean): void {
    const invoice = indexed(this.commit, invoiceRow(this.commit, id))
    if (isAmongPaid(this.commit, invoice)) markMatched(this.commit, invoice, isMatched)
  }
}

/** Settles an invoice if it is open and paid. */
export function settleIfOpen(commit: Commit, row: InvoiceRow): void {
  if (isOpen(commit, indexed(commit, row))) settleIfPaid(commit, row.id)
}

/** A confirmed deposit left the account of a wallet: invoices created before it may be unpaid again. */
export function reopen(
  commit: Commit,
  walletNo: WalletNo,
  currencyNo: CurrencyNo,
  account: Account,
  receivedAt: number,
): Asking<void> {
  const paid: life.PaidInvoices<InvoiceRow> = {
    greatest: () => greatestPaid(commit, walletNo, currencyNo),
    confirmedAfter: (timeMs) => totalAfter(commit.tables.confirmedTotals, account, timeMs),
    between: (fromMs, beforeMs) => paidBetween(commit, walletNo, currencyNo, fromMs, beforeMs),
  }
  return life.reopen(new LmdbInvoiceLife(commit), paid, receivedAt)
}
