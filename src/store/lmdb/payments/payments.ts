import type { Currency } from '../../../domain/amount.js'
import { type Invoice, walletsOf } from '../../../domain/invoice.js'
import { paymentOf, type Received } from '../../../domain/payment.js'
import { type Ending, isCovered, voidedAtBy } from '../../../domain/voiding.js'
import type { InvoiceWithPayment } from '../../store.js'
import type { Commit, Reader } from '../commit/commit-loop.js'
import { atomsOf, type InvoiceRow } from '../invoices/invoice-rows.js'
import { findWallet } from '../wallets/wallets.js'
import { type Account, accountOf, changesOf, headOf, totalAfter, totalBehind } from './running-totals.js'

/*
 * What invoices received, from the running totals of their wallets' addresses.
 */

/** What counts for an invoice, and the state of the deposits that it was computed from. */
export interface Counted {
  readonly received: Received
  /** How often the deposits to each account had changed, seen and confirmed in turn. */
  readonly changes: readonly number[]
}

/** The accounts whose deposits count for an invoice on these wallets. */
export function accountsOf(at: Reader, walletIds: readonly string[], currency: Currency): readonly Account[] {
  const accounts: Account[] = []
  for (const id of walletIds) {
    const addressNo = findWallet(at, id)?.addressNo ?? null
    if (addressNo !== null) accounts.push(accountOf(addressNo, currency))
  }
  return accounts
}

/** What was confirmed for an invoice, atoms. */
export function confirmedFor(commit: Commit, invoice: Invoice): bigint {
  let sum = 0n
  for (const account of accountsOf(commit, walletsOf(invoice), invoice.currency)) {
    sum += totalAfter(commit.tables.confirmedTotals, account, invoice.created_at)
  }
  return sum
}

/** What counts for an invoice. */
export function receivedFor(at: Reader, invoice: Invoice): Received {
  return countReceived(at, accountsOf(at, walletsOf(invoice), invoice.currency), invoice.created_at).received
}

/** An invoice with its payment and its ending, judged by the clock. */
export function answerFor(at: Reader, row: InvoiceRow): InvoiceWithPayment {
  const { invoice } = row
  return answerOf(invoice, row, atomsOf(invoice), receivedFor(at, invoice), at.nowMs)
}

/** What counts for an invoice that was created at `createdAt`, Unix ms. */
export function countReceived({ tables }: Reader, accounts: readonly Account[], createdAt: number): Counted {
  const { seenTotals, confirmedTotals } = tables
  const changes: number[] = []
  let confirmed = 0n
  let pending = 0n
  for (const account of accounts) {
    const seenHead = headOf(seenTotals, account)
    const confirmedHead = headOf(confirmedTotals, account)
    changes.push(seenHead.changes, confirmedHead.changes)
    const confirmedAfter = totalBehind(confirmedTotals, account, confirmedHead, createdAt)
    confirmed += confirmedAfter
    // What is confirmed was seen, so when the totals are equal nothing is pending, whenever it was received.
    if (seenHead.total !== confirmedHead.total) {
      pending += totalBehind(seenTotals, account, seenHead, createdAt) - confirmedAfter
    }
  }
  return { received: { confirmed, pending }, changes }
}

/** Whether the deposits to the accounts are those that were counted. */
export function areUnchanged({ tables }: Reader, accounts: readonly Account[], { changes }: Counted): boolean {
  let i = 0
  for (const account of accounts) {
    if (changesOf(tables.seenTotals, account) !== changes[i]) return false
    if (changesOf(tables.confirmedTotals, account) !== changes[i + 1]) return false
    i += 2
  }
  return true
}

/** The answer for an invoice over `amount` atoms. */
export function answerOf(
  invoice: Invoice,
  ending: Ending,
  amount: bigint,
  received: Received,
  nowMs: number,
): InvoiceWithPayment {
  const voidedAt = voidedAtBy(ending, isCovered(amount, received), nowMs)
  return { invoice, payment: paymentOf(amount, received), voidedAt, expiresAt: ending.expiresAt }
}
