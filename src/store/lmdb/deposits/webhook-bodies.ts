import type { DepositStatus, Sighting } from '../../../domain/deposit.js'
import { paymentOf } from '../../../domain/payment.js'
import { webhookBody } from '../../../domain/webhook.js'
import type { Commit } from '../commit/commit-loop.js'
import { atomsOf, type InvoiceRow } from '../invoices/invoice-rows.js'
import { receivedFor } from '../payments/payments.js'
import { configurationOf } from '../webhooks/webhook-configurations.js'

/** The body of a delivery, with the payment as of now where the owner wants it: the deposit has to be counted already. */
export function bodyFor(
  commit: Commit,
  invoice: InvoiceRow,
  named: { readonly id: string; readonly reference: string },
  status: DepositStatus,
  deposit: Sighting,
): string {
  if (configurationOf(commit, invoice.owner).payload !== 'with-invoice') return webhookBody(named, status, deposit)
  const { amount, currency } = invoice
  return webhookBody(named, status, deposit, {
    invoice: { amount, currency, ...paymentOf(atomsOf(invoice), receivedFor(commit, invoice)) },
  })
}
