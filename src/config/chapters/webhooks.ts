import { each, isCidr } from '../checks.js'
import { list, quantity } from '../setting.js'

const WEBHOOK_CONCURRENCY_LIMIT = 4096

/** Where webhooks go, how many at once and how often. */
export const webhooks = {
  callbackAllow: list(each(isCidr), {
    fallbackText: 'none',
    expects: 'a comma-separated list of networks such as 10.1.0.0/16 or fd00::/8',
    sentence:
      'Non-public networks to which webhooks may be sent. By default there are none, unless the service is private to its machine: it listens on loopback, has no public URL beyond loopback and no trusted proxies, and is not in strict mode.',
  }),
  webhookConcurrency: quantity(1, WEBHOOK_CONCURRENCY_LIMIT, 'deliveries', {
    fallback: '256',
    sentence:
      'The maximum number of webhook deliveries in progress, to all destinations together. Deliveries that have waited for an answer for more than a second do not count; up to as many again may be in progress.',
  }),
  webhookConcurrencyPerDestination: quantity(1, WEBHOOK_CONCURRENCY_LIMIT, 'deliveries', {
    fallback: '16',
    sentence:
      'The maximum number of webhook deliveries in progress to one destination. A destination that answers slowly gets fewer.',
  }),
  webhookAttempts: quantity(1, 20, 'attempts', {
    fallback: '1',
    sentence: 'The maximum number of attempts for each webhook; 1 means no retries.',
  }),
}
