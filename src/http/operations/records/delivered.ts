import { invoiceId, oneOf, orNull, record, type Schema, text, time } from '../schema.js'
import { networkName, observedCurrency } from './common.js'
import { invoice, payment } from './invoice.js'
import { orderInBody } from './order.js'
import { orderFields } from './order-fields.js'

/** The payload has the fields that it had before there was `own`. */
const { own: _, ...paymentInBody } = payment

const deposit = {
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
  invoice: {
    ...record(
      { amount: invoice.amount, currency: invoice.currency, ...paymentInBody, ...orderFields, order: orderInBody },
      ['order'],
    ),
    description: 'With the payload `with-invoice`: its state when the delivery was recorded.',
  },
}

/** A test is never late. */
const { late: _late, ...test } = deposit

/** The bodies of webhooks. */
export const deliveredRecords = {
  DepositPayload: record(deposit, ['late', 'invoice']),
  TestPayload: record(
    { ...test, test: { type: 'boolean', const: true, description: 'It is about no deposit: do nothing.' } },
    ['invoice'],
  ),
  DepositWebhook: {
    description:
      'The body of a webhook with the payload `specified` or `with-invoice`. One with `test` was asked for by a test.',
    // A test has all that a deposit has, so `oneOf` would match neither.
    anyOf: [{ $ref: '#/components/schemas/TestPayload' }, { $ref: '#/components/schemas/DepositPayload' }],
  },
} as const satisfies Readonly<Record<string, Schema>>
