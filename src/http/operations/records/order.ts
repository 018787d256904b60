import { ORDER_REFERENCE_LENGTH_MAX } from '../../../domain/order.js'
import { ORDER_STATUSES } from '../../../domain/order-share.js'
import { decimal, hex, invoiceId, list, oneOf, orNull, record, type Schema, text, time } from '../schema.js'
import { currencyName, identity } from './common.js'
import { orderFields } from './order-fields.js'

const price = {
  ...record({
    amount: decimal('As sent.'),
    currency: text('A currency code, or the symbol of a coin.', { pattern: '^[A-Z][A-Z0-9]{1,11}$' }),
  }),
  description: 'What the order costs.',
}

const rate = {
  rate: orNull(
    decimal(
      'The price of one coin that the amount follows from: `1` in the currency of the price, null for an amount that you fixed.',
    ),
  ),
  rateAt: orNull(time('When the source of the rate said so. Null unless a rate was used.')),
  spread: orNull(decimal('What was charged on top, in percent. Null unless a rate was used.')),
}

const status = oneOf(
  ORDER_STATUSES,
  '`paid` from a fraction of 1 on, or when accepted; else `partly` when something has come; else `expired`, `void` or `unpaid`.',
)

export const orderInBody = {
  ...record({
    id: hex(32, 'The id of the order.'),
    reference: orNull(text('Your own id of the order.')),
    orderNumber: orderFields.orderNumber,
    status,
  }),
  description: 'If the invoice is an option of an order: the order, as of that moment. Else absent.',
}

export const orderRecords = {
  CreatedOrder: record({
    id: hex(32, 'The id of the order.'),
    url: text('The path of its page, behind the address of the service.', { pattern: '^/order/[0-9a-f]{32}$' }),
    expires_at: time('When it expires. Its rates are promised until then.'),
    invoices: list(
      record({
        id: hex(32, 'The id of the invoice.'),
        url: text('The path of its payment page.', { pattern: '^/pay/[0-9a-f]{32}$' }),
        amount: decimal('What it asks in its coin.'),
        currency: { ...currencyName, description: 'As in the option.' },
        rate: rate.rate,
      }),
      { description: 'One for each option, in their order.' },
    ),
  }),
  Order: record({
    id: hex(32, 'In order of time.'),
    owner: identity,
    price,
    name: text('As sent, trimmed and truncated to 80 characters.'),
    description: orNull(text('As sent, trimmed and truncated to 500 characters.')),
    reference: orNull(text(`Your own id, truncated to ${ORDER_REFERENCE_LENGTH_MAX} characters.`)),
    ...orderFields,
    created_at: time('Unix milliseconds.'),
    expires_at: time('When it expires unless something has come for it.'),
    voided_at: orNull(
      time('Since when none of its invoices can be paid, by voiding or expiry; else null, and while it is paid.'),
    ),
    accepted_at: orNull(time('When its owner took what had come as enough; null for never.')),
    status,
    paid_fraction: text('The sum over the options of `payment.own` divided by the amount: 18 places, rounded down.', {
      pattern: '^[0-9]+\\.[0-9]{18}$',
    }),
    options: list(
      record({
        invoice: { $ref: '#/components/schemas/Invoice' },
        payment: { $ref: '#/components/schemas/Payment' },
        ...rate,
        remaining: decimal(
          'What of this coin still completes the order, rounded up to its decimals; `0` once it is paid.',
        ),
        voided_at: orNull(time('Since when this invoice is void; null while it is payable.')),
      }),
    ),
  }),
} as const satisfies Readonly<Record<string, Schema>>

/** What an event of an order names. */
export const orderIdInEvent = hex(
  32,
  'The order, for an event of one, and for an invoice that is one of its options; else absent.',
)
export const causeOfOrderEvent = orNull(
  invoiceId('The invoice whose deposit brought it about. Null for what no deposit has.'),
)
