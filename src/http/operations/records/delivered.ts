import { invoiceId, oneOf, orNull, record, type Schema, text, time } from '../schema.js'
import { networkName, observedCurrency } from './common.js'
import { invoice, payment } from './invoice.js'

/** The payload has the fields that it had before there was `own`. */
const { own: _, ...paymentInBody } = payment

/** The body of a webhook. */
export const deliveredRecords = {
  Delivered: {
    ...record(
      {
        reference: text('The reference of the invoice.'),
        status: oneOf(['pending', 'confirmed'], 'Act on `confirmed` only.'),
        invoiceId: invoiceId('The invoice.'),
        network: networkName,
        txHash: text('With `status`, what to deduplicate by.'),
        toAddress: orNull(text('The receiving address.')),
        amount: orNull(text('As observed: whole units of a token, decimal coins otherwise.')),
        currency: observedCurrency,
        receivedAt: time('The same in both notifications.'),
        late: {
          type: 'boolean',
          const: true,
          description: 'If the invoice had become void before the deposit came; else absent.',
        },
        invoice: record({ amount: invoice.amount, currency: invoice.currency, ...paymentInBody }),
        test: { type: 'boolean', const: true, description: 'In test deliveries only.' },
      },
      ['late', 'invoice', 'test'],
    ),
    description: '`invoice` is there with the payload `with-invoice`: its state when the delivery was recorded.',
  },
} as const satisfies Readonly<Record<string, Schema>>
