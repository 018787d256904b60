import { oneOf, orNull, record, type Schema, text } from '../schema.js'

/** What the gateway is answered about each of its events. */
export const eventResultRecords = {
  EventResult: record(
    {
      id: orNull(text('The id of the event; null if it had none that can be read.')),
      status: oneOf(['applied', 'duplicate', 'rejected'], 'A duplicate has no effect.'),
      error: text('Why it was rejected.'),
    },
    ['error'],
  ),
} as const satisfies Readonly<Record<string, Schema>>
