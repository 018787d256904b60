import { EVENT_TYPES } from '../../../domain/event.js'
import { decimal, hex, invoiceId, oneOf, orNull, record, type Schema, text, time, whole } from '../schema.js'
import { networkName, observedCurrency } from './common.js'
import { outcome } from './webhook.js'

export const eventRecords = {
  Event: record(
    {
      id: hex(16, 'Its place in the log, and the cursor behind it. Ids of an identity grow.'),
      type: oneOf(EVENT_TYPES, 'What happened.'),
      at: time('When the service noted it. It never goes back.'),
      invoiceId: orNull(invoiceId('The invoice. Null for a deposit that is matched to none.')),
      reference: orNull(text('That of the invoice.')),
      deposit: {
        ...orNull(
          record({
            network: networkName,
            txHash: text('The hash of the transaction.'),
            index: whole('Which transfer of the transaction it is.', { minimum: 0 }),
            toAddress: text('The receiving address, as observed.'),
            currency: observedCurrency,
            amount: decimal('As observed: whole units of a token, decimal coins otherwise.'),
            receivedAt: time('When it was received: the time of its block, or of first sight.'),
          }),
        ),
        description: 'With `deposit.*`, as it was then; else null.',
      },
      delivery: {
        ...orNull(
          record({
            id: hex(32, 'Its `webhook-id`.'),
            status: oneOf(['pending', 'confirmed'], 'The status of the deposit.'),
            attempt: whole('Attempts so far.', { minimum: 1 }),
            httpStatus: outcome.httpStatus,
            failure: outcome.failure,
          }),
        ),
        description: 'With `delivery.failed`; else null.',
      },
      late: {
        type: 'boolean',
        const: true,
        description: 'With `deposit.*`, if the invoice had become void before the deposit came; else absent.',
      },
    },
    ['late'],
  ),
} as const satisfies Readonly<Record<string, Schema>>
