import type { Currency } from '../../domain/currency.js'
import { walletsOf } from '../../domain/invoice.js'
import { type Payment, paymentOf, type Received } from '../../domain/payment.js'
import { atomsOf, type InvoiceRow } from './invoice-rows.js'
import { Receipts } from './receipts.js'
import { type Account, accountOf, totalAfter } from './running-totals.js'
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

  /** Confirmed and pending sums of an invoice; pending is what is seen and not confirmed. */
  received(row: InvoiceRow): Received {
    let seen = 0n
    let confirmed = 0n
    for (const account of this.accounts(walletsOf(row), row.currency)) {
      seen += totalAfter(this.tables.seenTotals, account, row.created_at)
      confirmed += totalAfter(this.tables.confirmedTotals, account, row.created_at)
    }
    return { confirmed, pending: seen - confirmed }
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
    return paymentOf(atomsOf(row), this.received(row))
  }
}
