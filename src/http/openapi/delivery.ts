import { examples } from '../operations/examples.js'
import type { RecordName } from '../operations/records.js'
import { text } from '../operations/schema.js'
import { parameter } from './parameters.js'

/** What merchants receive. */
export const deliveryObjects = {
  deposit: {
    post: deliveryObject({
      operationId: 'deposit',
      summary: 'A deposit was seen or confirmed',
      description: 'Deduplicate by `txHash` together with `status`.',
      schema: 'DepositWebhook',
      example: examples.delivered,
    }),
  },
  event: {
    post: deliveryObject({
      operationId: 'event',
      summary: 'Something happened',
      description: 'With the payload `events`, in place of the deposits. Deduplicate by `id`.',
      schema: 'DeliveredEvent',
      example: examples.deliveredEvent,
    }),
  },
}

interface Told {
  readonly operationId: string
  readonly summary: string
  readonly description: string
  readonly schema: RecordName
  readonly example: object
}

function deliveryObject({ operationId, summary, description, schema, example }: Told) {
  const header = (name: string, about: string) => ({
    ...parameter('header', name, text(about)),
    required: true,
  })
  return {
    operationId,
    tags: ['Webhooks'],
    summary,
    description: `Sent to the callback URL. One attempt, unless the operator has switched on retries. Check the signature over the raw body before you parse it. ${description}`,
    parameters: [
      header('X-Service-Signature', 'Lower-case hex HMAC-SHA256 of the raw body. The key is the text of the secret.'),
      header('webhook-id', 'The id of the message; the same in a repetition.'),
      header('webhook-timestamp', 'When it was sent, Unix seconds.'),
      header('webhook-signature', 'Signatures as in the Standard Webhooks specification, separated by spaces.'),
    ],
    requestBody: {
      required: true,
      content: {
        'application/json': { schema: { $ref: `#/components/schemas/${schema}` }, example },
      },
    },
    responses: {
      '2XX': { description: 'Taken. Answer within 8 seconds.' },
      '4XX': { description: 'Not taken, as everything that is not 2xx. 410 ends the attempts.' },
    },
    security: [],
  }
}
