import type { Currency } from '../../../domain/amount.js'
import { type Invoice, walletsOf } from '../../../domain/invoice.js'
import type { OrderFields } from '../../../domain/order-fields.js'
import { paymentsOf, type Received, type Sums } from '../../../domain/payment.js'
import { type Ending, outlives, voidedAtBy } from '../../../domain/voiding.js'
import type { InvoiceWithPayment } from '../../reading.js'
import type { Commit, Reader } from '../commit/commit.js'
import { atomsOf, type InvoiceRow } from '../invoices/invoice-rows.js'
import { ownOf } from '../invoices/matches.js'
import { orderOf } from '../invoices/order-rows.js'
import type { InvoiceId } from '../tables/keys.js'
import { findWallet } from '../wallets/wallets.js'
import { type Account, accountOf, changesOf, headOf, totalAfter, totalBehind } from './running-totals.js'

/*
 * What invoices received, from the running totals of their wallets' addresses.
 */

/** What counts for an invoice, and the state of the deposits that it was computed from: none changes its match but with its kind. */
export interface Counted {
  readonly sums: Sums
  /** How often the deposits to each account had changed, seen and confirmed in turn. */
  readonly changes: readonly number[]
}

/** The accounts whose deposits count for an invoice on these wallets. */
export function accountsOf(at: Reader, walletIds: readonly string[], currency: Currency): readonly Account[] {
  const accounts: Account[] = []
  const currencyNo = at.currencies.noOf(currency)
  for (const id of walletIds) {
    const addressNo = findWallet(at, id)?.addressNo ?? null
    if (addressNo !== null) accounts.push(accountOf(addressNo, currencyNo))
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
  return countReceived(at, accountsFor(at, invoice), invoice.created_at, [])
}

/** The same with what of it is its own. */
export function sumsFor(at: Reader, { id, invoice }: Pick<InvoiceRow, 'id' | 'invoice'>): Sums {
  return countSums(at, accountsFor(at, invoice), id, invoice.created_at).sums
}

/** What is confirmed and pending of an invoice's own money, and what of the confirmed is matched to no invoice. Atoms. */
export function ownFor(
  at: Reader,
  { id, invoice }: Pick<InvoiceRow, 'id' | 'invoice'>,
): { readonly own: Received; readonly unmatched: bigint } {
  const accounts = accountsFor(at, invoice)
  return countOwn(at, accounts, id, invoice.created_at, countReceived(at, accounts, invoice.created_at, []))
}

/** An invoice with its payment and its ending, judged by the clock. */
export function answerFor(at: Reader, row: InvoiceRow): InvoiceWithPayment {
  const { invoice } = row
  return answerOf({ invoice, order: orderOf(at, row.id) }, row, atomsOf(invoice), sumsFor(at, row), at.nowMs)
}

/** What counts for an invoice that was created at `createdAt`, Unix ms. */
export function countSums(at: Reader, accounts: readonly Account[], id: InvoiceId, createdAt: number): Counted {
  const changes: number[] = []
  const received = countReceived(at, accounts, createdAt, changes)
  const { confirmed, pending } = received
  return { sums: { confirmed, pending, own: countOwn(at, accounts, id, createdAt, received).own }, changes }
}

/** What of it is matched to the invoice, and what qualifies and is matched to none: `unmatched` is the confirmed part of the latter. */
function countOwn(
  at: Reader,
  accounts: readonly Account[],
  id: InvoiceId,
  createdAt: number,
  received: Received,
): { readonly own: Received; readonly unmatched: bigint } {
  if (received.confirmed === 0n && received.pending === 0n) return { own: received, unmatched: 0n }
  const matched = ownOf(at, id)
  // All that qualifies is matched to the invoice: nothing is left that could be matched to none.
  if (matched.confirmed === received.confirmed && matched.pending === received.pending) {
    return { own: received, unmatched: 0n }
  }
  const { unmatchedSeenTotals, unmatchedConfirmedTotals } = at.tables
  let { pending } = matched
  let unmatched = 0n
  for (const account of accounts) {
    const seen = totalAfter(unmatchedSeenTotals, account, createdAt)
    // What is confirmed was seen.
    if (seen === 0n) continue
    const confirmed = totalAfter(unmatchedConfirmedTotals, account, createdAt)
    unmatched += confirmed
    pending += seen - confirmed
  }
  return { own: { confirmed: matched.confirmed + unmatched, pending }, unmatched }
}

/** Notes how often the deposits to each account had changed in `changes`. */
function countReceived(
  { tables }: Reader,
  accounts: readonly Account[],
  createdAt: number,
  changes: number[],
): Received {
  const { seenTotals, confirmedTotals } = tables
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
  return { confirmed, pending }
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
  { invoice, order }: { readonly invoice: Invoice; readonly order: OrderFields },
  ending: Ending & { readonly orderId: string | null },
  amount: bigint,
  sums: Sums,
  nowMs: number,
): InvoiceWithPayment {
  const voidedAt = voidedAtBy(ending, outlives(amount, sums, ending.orderId !== null), nowMs)
  const { acceptedAt, expiresAt } = ending
  const { payment, own } = paymentsOf(amount, sums)
  return { invoice, order, payment, own, voidedAt, acceptedAt, expiresAt }
}

function accountsFor(at: Reader, invoice: Invoice): readonly Account[] {
  return accountsOf(at, walletsOf(invoice), invoice.currency)
}
