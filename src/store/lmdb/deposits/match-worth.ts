import { qualifies } from '../../../domain/qualification.js'
import type { Reader } from '../commit/commit.js'
import { invoiceRow } from '../invoices/invoice-rows.js'
import type { InvoiceId } from '../tables/keys.js'
import { walletAt } from '../wallets/wallets.js'
import type { DepositRow } from './deposit-rows.js'

/** What a deposit adds to the own money of the invoice that it is matched to, in atoms: nothing where it does not qualify. */
export function worthOfMatch(at: Reader, { deposit, countedAs, atoms }: DepositRow, invoiceId: InvoiceId): bigint {
  const walletId = walletAt(at, deposit.network, deposit.toAddress)?.id ?? null
  const { invoice } = invoiceRow(at, invoiceId)
  return qualifies(invoice, { walletId, currency: countedAs, receivedAt: deposit.receivedAt }) ? atoms : 0n
}
