import { formatAmount } from '../../../domain/amount.js'
import { walletsOf } from '../../../domain/invoice.js'
import { confirmationsOf, type QualifyingDeposit } from '../../../domain/payment.js'
import { type InvoiceWithDeposits, type InvoiceWithPayment, withNewest } from '../../reading.js'
import { holderOf, tipOf } from '../chain/block-rows.js'
import type { Reader } from '../commit/commit.js'
import { type DepositRow, depositOfNo } from '../deposits/deposit-rows.js'
import type { InvoiceRow } from '../invoices/invoice-rows.js'
import { lastOfInvoice } from '../invoices/matches.js'
import { accountsOf } from './payments.js'
import { lastCounted, type ReceiptOrder } from './running-totals.js'

/**
 * The newest deposits that an invoice's own money is the sum of, newest first: those that are matched to it, and those that qualify
 * and are matched to none. What it reads grows with `limit` and the wallets of the invoice, not with their history.
 */
function newestOwn(
  at: Reader,
  { id, invoice }: Pick<InvoiceRow, 'id' | 'invoice'>,
  limit: number,
): readonly QualifyingDeposit[] {
  const unmatched = accountsOf(at, walletsOf(invoice), invoice.currency).flatMap((account) =>
    lastCounted(at.tables.unmatchedSeenTotals, account, invoice.created_at, limit),
  )
  const newest = [...lastOfInvoice(at, id, limit), ...unmatched].sort(byReceipt).slice(0, limit)
  return newest.map(({ no }) => qualifying(at, depositOfNo(at, no)))
}

/** What is answered for an invoice, with its newest deposits. */
export function withDeposits(
  at: Reader,
  row: Pick<InvoiceRow, 'id' | 'invoice' | 'orderId'>,
  answer: InvoiceWithPayment,
  limit: number,
): InvoiceWithDeposits {
  return withNewest(answer, row.orderId, newestOwn(at, row, limit + 1), limit)
}

/** Newest first. */
export function byReceipt(a: ReceiptOrder, b: ReceiptOrder): number {
  return b.receivedAt - a.receivedAt || b.no - a.no
}

function qualifying(at: Reader, { deposit, atoms }: DepositRow): QualifyingDeposit {
  const { network, txHash, index, receivedAt, kind } = deposit
  const isConfirmed = kind === 'confirmed'
  const height = isConfirmed ? null : (holderOf(at, network, deposit) ?? null)
  const tip = height === null ? null : (tipOf(at, network) ?? null)
  const confirmations = confirmationsOf(isConfirmed, height, tip)
  return { network, txHash, index, receivedAt, amount: formatAmount(atoms), isConfirmed, confirmations }
}
