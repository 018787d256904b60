import { decimal, hex, invoiceId, oneOf, orNull, record, type Schema, text, time } from '../schema.js'
import { currencyName, identity } from './common.js'
import { orderFields } from './order-fields.js'

export const invoice = {
  id: invoiceId('In order of time, unless the invoice was imported under another id.'),
  owner: identity,
  wallet_id: text('The first wallet.'),
  wallet_ids: orNull(text('All wallets, joined by commas. Null or empty: `wallet_id` is the only one.')),
  name: text('As sent, trimmed and truncated to 80 characters.'),
  description: orNull(text('As sent, trimmed and truncated to 500 characters.')),
  reference: orNull(text('Your own id, truncated to 80 characters.')),
  amount: decimal('As sent.'),
  currency: currencyName,
  callback_url: orNull(text("Wins over the identity's default.")),
  created_at: time('Unix milliseconds.'),
}

export const payment = {
  status: oneOf(['unpaid', 'paid'], '`paid` when `received` is at least the amount.'),
  received: decimal(
    'Sum of the confirmed deposits that count: all to its wallets after its creation, also those for other invoices.',
  ),
  pending: decimal('Sum of those that would count but are not confirmed yet.'),
  remaining: decimal('The part of the amount that is missing; `0` once paid.'),
  overpaid: decimal('What of `own` is beyond the amount.'),
  own: decimal('The part of `received` that is not matched to another invoice.'),
}

const invoiceWithPayment = {
  ...invoice,
  payment: { $ref: '#/components/schemas/Payment' },
  voided_at: orNull(time('Since when it is void, by voiding or expiry; null while it is payable.')),
  accepted_at: orNull(
    time(
      'When what had come was taken as enough, by its owner or, with `BILLHOOK_UNDERPAYMENT`, by the service; null for never. It is settled, whatever `payment` says.',
    ),
  ),
  expires_at: orNull(time('When it expires unless it is paid or being paid; null for never.')),
  ...orderFields,
}

export const invoiceRecords = {
  CreatedInvoice: record({
    id: hex(32, 'The id of the invoice.'),
    url: text('The path of the payment page, behind the address of the service.', {
      pattern: '^/pay/[0-9a-f]{32}$',
    }),
  }),
  Invoice: record(invoice),
  Payment: {
    ...record(payment),
    description: "Computed on every read, exactly, in the invoice's currency. Never stored.",
  },
  InvoiceWithPayment: record(invoiceWithPayment),
} as const satisfies Readonly<Record<string, Schema>>
