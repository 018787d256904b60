import { type InvoiceRecord, invoiceState } from '../listing/invoices.js'
import { fieldLines } from './output.js'
import { payableFields } from './payable-text.js'

/** The payment in words: of its own money, and of what others have paid to its wallets where that counts, too. */
export function paymentText(invoice: InvoiceRecord): string {
  const { payment, currency } = invoice
  const parts = [
    `${payment.own} ${currency} received`,
    ...(payment.received === payment.own ? [] : [`${payment.received} with what was paid for others`]),
    ...(payment.pending === '0' ? [] : [`${payment.pending} pending`]),
    ...(payment.remaining === '0' ? [] : [`${payment.remaining} remaining`]),
    ...(payment.overpaid === '0' ? [] : [`${payment.overpaid} too much`]),
  ]
  const state = invoice.accepted_at === null ? invoiceState(invoice) : 'accepted as paid'
  return `${state}: ${parts.join(', ')}`
}

/** An invoice in lines for people; `pages` is where the payment pages are. */
export function invoiceLines(invoice: InvoiceRecord, pages: string): string[] {
  return fieldLines([
    ['Invoice', invoice.id],
    ['Payment', paymentText(invoice)],
    ['Amount', `${invoice.amount} ${invoice.currency}`],
    ['Wallets', (invoice.wallet_ids || invoice.wallet_id).replaceAll(',', ', ')],
    ['Callback', invoice.callback_url],
    ...payableFields(invoice),
    ['Page', `${pages}/pay/${invoice.id}`],
  ])
}
