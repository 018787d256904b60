import { examples } from './examples.js'
import { operations } from './operation.js'
import { identityInPath } from './parameters.js'
import { hex, whole } from './schema.js'

export const eventOperations = operations({
  'GET /api/users/:id/events': {
    id: 'listEvents',
    chapter: 'Events',
    summary: 'Read what happened to an identity, oldest first',
    description:
      'Invoices created, voided, expired, paid and unpaid again; orders likewise; deposits pending, confirmed and dropped; deliveries that failed for good. ' +
      'Events are written with what they tell of, whether or not webhooks are configured. Keep the `id` of the last event that you ' +
      'have dealt with, and ask for those after it: you miss none and see none twice. Events are kept for `BILLHOOK_EVENTS_DAYS` days.',
    path: { id: identityInPath },
    query: {
      after: hex(16, 'The `id` of the last event read. Without it the list begins with the oldest event that is kept.'),
      limit: { ...whole('How many events at most.', { minimum: 1, maximum: 1000 }), default: 100 },
    },
    answers: {
      200: {
        description: 'The next events. `Link` is there if more follow already.',
        body: ['BillhookEvent'],
        headers: ['Link'],
        example: [examples.event],
      },
    },
    errors: ['events_removed'],
  },
})
