import { EVENT_TYPES } from '../../../domain/event.js'
import { hex, invoiceId, list, oneOf, orNull, record, type Schema, text, time, whole } from '../schema.js'
import { identity } from './common.js'

export const outcome = {
  httpStatus: orNull(whole('The status that the receiver answered.', { minimum: 100, maximum: 999 })),
  failure: orNull(
    oneOf(
      ['timeout', 'dns', 'connection', 'refused_address', 'interrupted'],
      'Why there was no answer. `refused_address`: the address is not public, so nothing was sent.',
    ),
  ),
  durationMs: orNull(whole('How long the attempt took.', { minimum: 0 })),
}

export const toldEvent = {
  ...orNull(record({ id: hex(16, 'Its id.'), type: oneOf(EVENT_TYPES, 'What happened.') })),
  description: 'With the payload `events`, the event that it tells; else null.',
}

const settings = {
  owner: identity,
  callback_url: orNull(text('The default callback URL; null if none is set.')),
  secret: hex(64, 'Signs deliveries.'),
  created_at: time('Unix milliseconds.'),
  updated_at: time('Unix milliseconds.'),
  payload: oneOf(['with-invoice', 'events'], 'Absent for `specified`.'),
  types: {
    ...list(oneOf(EVENT_TYPES, 'A type of events.')),
    description: 'The events that are sent. Only with the payload `events`.',
  },
}

export const webhookRecords = {
  WebhookSettings: record(
    {
      ...settings,
      secret: orNull(hex(64, 'Signs deliveries. Null if nothing was configured.')),
      created_at: orNull(settings.created_at),
      updated_at: orNull(settings.updated_at),
    },
    ['payload', 'types'],
  ),
  ConfiguredWebhook: {
    ...record(settings, ['payload', 'types']),
    description: 'The settings once there is a secret.',
  },
  WebhookDelivery: record({
    id: hex(32, 'Its `webhook-id`.'),
    invoiceId: orNull(invoiceId('The invoice that it is about. Null for an event that names none.')),
    reference: orNull(text('The reference of the invoice. With an event it may be null.')),
    txHash: orNull(text('The hash of the transaction. Null for an event that is not about a deposit.')),
    status: orNull(oneOf(['pending', 'confirmed'], 'The status of the deposit. Null for an event.')),
    event: toldEvent,
    url: text('Where it is sent.'),
    state: oneOf(
      ['queued', 'sending', 'waiting', 'delivered', 'failed'],
      '`waiting` is for the attempt at `nextAttemptAt`; `failed` is final.',
    ),
    attempt: whole('Attempts so far, including one in progress.', { minimum: 0 }),
    ...outcome,
    createdAt: time('Unix milliseconds.'),
    attemptedAt: orNull(time('When the last attempt began.')),
    nextAttemptAt: orNull(time('When the next attempt is due, while `waiting`.')),
  }),
  WebhookTest: record({
    id: hex(32, 'Its `webhook-id`.'),
    url: text('Where it was sent.'),
    state: oneOf(['delivered', 'failed'], 'Whether the receiver answered with 2xx.'),
    ...outcome,
  }),
} as const satisfies Readonly<Record<string, Schema>>
