import { EVENT_TYPES } from '../../domain/event.js'
import { OVERLAP_DEFAULT_SECONDS, OVERLAP_MAX_SECONDS, WEBHOOK_PAYLOADS } from '../../domain/webhook.js'
import { examples } from './examples.js'
import { operations } from './operation.js'
import { identityInPath, pageParameters } from './parameters.js'
import { hex, list, oneOf, orNull, record, text, whole } from './schema.js'

const path = { id: identityInPath }

const settings = { body: 'WebhookSettings', example: examples.webhook } as const
const configured = { body: 'ConfiguredWebhook', example: examples.webhook } as const

export const webhookOperations = operations({
  'GET /api/users/:id/webhook': {
    id: 'getWebhook',
    chapter: 'Webhooks',
    summary: 'Get the webhook configuration of an identity',
    path,
    query: {},
    answers: { 200: { description: 'The record. Its fields are null if nothing is configured.', ...settings } },
    errors: [],
  },
  'PUT /api/users/:id/webhook': {
    id: 'setWebhook',
    chapter: 'Webhooks',
    summary: 'Set the default callback URL',
    description: 'The first time, this generates the secret. Later changes keep it.',
    path,
    query: {},
    body: {
      required: true,
      schema: record(
        {
          callbackUrl: text('An absolute http: or https: URL without user and password.', {
            maxLength: 2048,
            pattern: '^[Hh][Tt][Tt][Pp][Ss]?://[^\\s\\\\]+$',
          }),
          payload: orNull(
            oneOf(
              WEBHOOK_PAYLOADS,
              '`with-invoice` appends the state of the invoice. `events` sends each event from now on, in place of the deposits. Absent or null, it stays as it was.',
            ),
          ),
          types: {
            ...orNull(list(oneOf(EVENT_TYPES, 'A type of events.'), { minItems: 1, uniqueItems: true })),
            description:
              'The events that are sent with the payload `events`. Absent or null, they stay as they were: all at first.',
          },
        },
        ['payload', 'types'],
      ),
      examples: {
        ordinary: { callbackUrl: 'https://shop.example/billhook', payload: 'with-invoice' },
        events: {
          callbackUrl: 'https://shop.example/billhook',
          payload: 'events',
          types: ['invoice.paid', 'invoice.expired'],
        },
      },
    },
    answers: { 200: { description: 'The record.', ...configured } },
    errors: ['invalid_json', 'invalid_identity', 'invalid_callback_url', 'invalid_payload', 'invalid_types'],
  },
  'DELETE /api/users/:id/webhook': {
    id: 'deleteWebhook',
    chapter: 'Webhooks',
    summary: 'Remove the webhook configuration, secret included',
    path,
    query: {},
    answers: {
      200: {
        description: 'Whether there was one.',
        body: record({ deleted: { type: 'boolean', description: 'False when there was none.' } }),
        example: { deleted: true },
      },
    },
    errors: [],
  },
  'POST /api/users/:id/webhook/rotate': {
    id: 'rotateWebhookSecret',
    chapter: 'Webhooks',
    summary: 'Replace the secret without losing a webhook',
    description: 'Until the overlap ends both secrets sign `webhook-signature`, and the old one `X-Service-Signature`.',
    path,
    query: {},
    body: {
      required: false,
      schema: record(
        {
          overlapSeconds: {
            ...orNull(whole('How long both secrets sign.', { minimum: 0, maximum: OVERLAP_MAX_SECONDS })),
            default: OVERLAP_DEFAULT_SECONDS,
          },
        },
        ['overlapSeconds'],
      ),
      examples: { leaked: { overlapSeconds: 0 }, ordinary: { overlapSeconds: OVERLAP_DEFAULT_SECONDS } },
    },
    answers: { 200: { description: 'The record with the new secret.', ...configured } },
    errors: ['invalid_json', 'invalid_identity', 'invalid_overlap'],
  },
  'POST /api/users/:id/webhook/test': {
    id: 'testWebhook',
    chapter: 'Webhooks',
    summary: 'Send one webhook to the default callback URL at once',
    description: 'It is signed and formed like a real one, with `"test": true` as its last field.',
    path,
    query: {},
    answers: {
      200: {
        description: 'What became of it, whether the receiver took it or not.',
        body: 'WebhookTest',
        example: {
          id: examples.delivery.id,
          url: examples.delivery.url,
          state: 'delivered',
          httpStatus: 200,
          failure: null,
          durationMs: 41,
        },
      },
    },
    errors: ['no_callback_url', 'too_many_tests'],
  },
  'GET /api/users/:id/webhook/deliveries': {
    id: 'listWebhookDeliveries',
    chapter: 'Webhooks',
    summary: 'List the deliveries of an identity',
    description: 'Sent or waiting, newest first.',
    path,
    query: pageParameters,
    answers: {
      200: {
        description: 'The deliveries, or a page of them.',
        body: ['WebhookDelivery'],
        headers: ['Link'],
        example: [examples.delivery],
      },
    },
    errors: [],
  },
  'POST /api/users/:id/webhook/deliveries/:deliveryId/redeliver': {
    id: 'redeliverWebhook',
    chapter: 'Webhooks',
    summary: 'Send a delivery again',
    description: 'The same body to the same URL, signed anew, under the same `webhook-id`.',
    path: { ...path, deliveryId: hex(32, 'The id of the delivery.') },
    query: {},
    answers: {
      200: {
        description: 'The delivery, which is queued on disk.',
        body: 'WebhookDelivery',
        example: { ...examples.delivery, state: 'queued' },
      },
    },
    errors: ['delivery_not_found', 'delivery_in_progress', 'too_many_redeliveries'],
  },
})
