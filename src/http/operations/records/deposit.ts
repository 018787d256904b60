import { decimal, oneOf, orNull, record, type Schema, text, time, whole } from '../schema.js'
import { networkName, observedCurrency } from './common.js'

export const depositRecords = {
  Deposit: record({
    network: networkName,
    txHash: text('The hash of the transaction.'),
    index: whole('Which transfer of the transaction it is.', { minimum: 0 }),
    toAddress: text('The receiving address, as observed.'),
    currency: observedCurrency,
    amount: decimal('As observed: whole units of a token, decimal coins otherwise.'),
    receivedAt: time('When it was received: the time of its block, or of first sight.'),
    kind: oneOf(['pending', 'confirmed', 'dropped'], 'What was last reported of it.'),
    confirmedAt: orNull(time('When it was confirmed; null before.')),
  }),
} as const satisfies Readonly<Record<string, Schema>>
