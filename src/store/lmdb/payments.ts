import type { Currency } from '../../domain/currency.js'
import { walletsOf } from '../../domain/invoice.js'
import { type Payment, paymentOf, type Received } from '../../domain/payment.js'
import { atomsOf, type InvoiceRow } from './invoice-rows.js'
import { Receipts } from './receipts.js'
import { type Account, accountOf, changesOf, totalAfter } from './running-totals.js'
import type { Tables } from './tables.js'
import type { Wallets } from './wallets.js'

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
  receipts(accounts: readonly Account[]): Receipts {
    return new Receipts(this.tables.confirmedTotals, accounts)
  }

  paymentOf(row: InvoiceRow): Payment {
    return this.paymentOn(this.accounts(walletsOf(row), row.currency), atomsOf(row), row.created_at)
  }

  /** The payment of an invoice over `amount` atoms. */
  paymentOn(accounts: readonly Account[], amount: bigint, createdAt: number): Payment {
    return paymentOf(amount, this.received(accounts, createdAt))
  }

  /** How often the deposits to each account changed, seen and confirmed in turn. */
  changesOf(accounts: readonly Account[]): readonly number[] {
    const { seenTotals, confirmedTotals } = this.tables
    return accounts.flatMap((account) => [changesOf(seenTotals, account), changesOf(confirmedTotals, account)])
  }

  /** Whether `changesOf` would answer the same. */
  areUnchanged(accounts: readonly Account[], changes: readonly number[]): boolean {
    const { seenTotals, confirmedTotals } = this.tables
    let i = 0
    for (const account of accounts) {
      if (changesOf(seenTotals, account) !== changes[i] || changesOf(confirmedTotals, account) !== changes[i + 1])
        return false
      i += 2
    }
    return true
  }

  /** Pending is what is seen and not confirmed. */
  private received(accounts: readonly Account[], createdAt: number): Received {
    let seen = 0n
    let confirmed = 0n
    for (const account of accounts) {
      seen += totalAfter(this.tables.seenTotals, account, createdAt)
      confirmed += totalAfter(this.tables.confirmedTotals, account, createdAt)
    }
    return { confirmed, pending: seen - confirmed }
  }
}
