import { timeText } from '../listing/column.js'
import { type InvoiceRecord, invoiceState } from '../listing/invoices.js'
import { fieldLines } from './output.js'

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

/** As `--metadata` takes it. */
function metadataText(metadata: InvoiceRecord['metadata']): string | null {
  if (metadata === null) return null
  return Object.entries(metadata)
    .map(([key, value]) => `${key}=${value}`)
    .join(', ')
}

/** An invoice in lines for people; `pages` is where the payment pages are. */
export function invoiceLines(invoice: InvoiceRecord, pages: string): string[] {
  const { voided_at: voidedAt, accepted_at: acceptedAt, expires_at: expiresAt } = invoice
  return fieldLines([
    ['Invoice', invoice.id],
    ['Payment', paymentText(invoice)],
    ['Amount', `${invoice.amount} ${invoice.currency}`],
    ['Name', invoice.name],
    ['Description', invoice.description],
    ['Order number', invoice.orderNumber],
    ['Reference', invoice.reference],
    ['Wallets', (invoice.wallet_ids || invoice.wallet_id).replaceAll(',', ', ')],
    ['Owner', invoice.owner],
    ['Callback', invoice.callback_url],
    ['Return to', invoice.returnUrl],
    ['Metadata', metadataText(invoice.metadata)],
    ['Created', timeText(invoice.created_at)],
    ['Void since', voidedAt === null ? null : timeText(voidedAt)],
    ['Accepted', acceptedAt === null ? null : timeText(acceptedAt)],
    ['Expires', expiresAt === null ? null : timeText(expiresAt)],
    ['Page', `${pages}/pay/${invoice.id}`],
  ])
}
