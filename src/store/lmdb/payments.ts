import type { Currency } from '../../domain/currency.js'
import { type Invoice, walletsOf } from '../../domain/invoice.js'
import { paymentOf, type Received } from '../../domain/payment.js'
import { type Ending, isCovered, voidedAtBy } from '../../domain/voiding.js'
import type { InvoiceWithPayment } from '../invoices.js'
import { atomsOf, type InvoiceRow, toInvoice } from './invoice-rows.js'
import { PaymentSpans } from './payment-spans.js'
import { type Account, accountOf, changesOf, headOf, totalAfter, totalBehind } from './running-totals.js'
import type { Tables } from './tables.js'
import type { Wallets } from './wallets.js'

/** What counts for an invoice, and the state of the deposits that it was computed from. */
export interface Counted {
  readonly received: Received
  readonly changes: readonly number[]
}

/** What invoices received, from the running totals of their wallets' addresses. */
export class Payments {
  constructor(
    private readonly tables: Tables,
    private readonly wallets: Wallets,
  ) {}

  /** The accounts whose deposits count for an invoice on these wallets. */
  accounts(walletIds: readonly string[], currency: Currency): readonly Account[] {
    const accounts: Account[] = []
    for (const id of walletIds) {
      const addressNo = this.wallets.find(id)?.addressNo ?? null
      if (addressNo !== null) accounts.push(accountOf(addressNo, currency))
    }
    return accounts
  }

  confirmed(row: InvoiceRow): bigint {
    let sum = 0n
    for (const account of this.accounts(walletsOf(row), row.currency)) {
      sum += totalAfter(this.tables.confirmedTotals, account, row.created_at)
    }
    return sum
  }

  /** The confirmed receipts of invoices on these wallets. */
  spans(accounts: readonly Account[]): PaymentSpans {
    return new PaymentSpans(this.tables.confirmedTotals, accounts)
  }

  /** What counts for an invoice. */
  received(row: InvoiceRow): Received {
    return this.count(this.accounts(walletsOf(row), row.currency), row.created_at).received
  }

  /** An invoice with its payment and its ending, judged by the clock. */
  answer(id: Buffer, row: InvoiceRow, nowMs: number): InvoiceWithPayment {
    return answerOf(toInvoice(id, row), row, atomsOf(row), this.received(row), nowMs)
  }

  /**
   * What counts for an invoice that was created at a time, and how often the deposits to each account had changed then,
   * seen and confirmed in turn.
   */
  count(accounts: readonly Account[], createdAt: number): Counted {
    const { seenTotals, confirmedTotals } = this.tables
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
  areUnchanged(accounts: readonly Account[], { changes }: Counted): boolean {
    const { seenTotals, confirmedTotals } = this.tables
    let i = 0
    for (const account of accounts) {
      if (changesOf(seenTotals, account) !== changes[i]) return false
      if (changesOf(confirmedTotals, account) !== changes[i + 1]) return false
      i += 2
    }
    return true
  }
}

/** What is told of an invoice over `amount` atoms. */
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
