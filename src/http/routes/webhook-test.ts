import type { Clock } from '../../clock.js'
import { retryLater } from '../../domain/failure.js'
import { isDelivered } from '../../domain/webhook.js'
import type { TestDeliveries } from '../../webhooks/test-deliveries.js'
import { handlers, TESTS_PER_OWNER_MINUTE } from '../endpoints.js'
import { failureAnswer, jsonAnswer } from '../failure-response.js'
import { RateLimiter } from '../guards/rate-limiter.js'
import type { Answer } from '../server.js'

/** After this time a test under way is over for sure: a delivery takes 8 s at most. */
const UNDER_WAY_SECONDS = 8

export interface WebhookTestParts {
  readonly tests: Pick<TestDeliveries, 'send'>
  readonly clock: Clock
}

export function webhookTestHandlers({ tests, clock }: WebhookTestParts) {
  const allowances = new RateLimiter(TESTS_PER_OWNER_MINUTE, clock)
  return handlers({ 'POST /api/users/:id/webhook/test': (_request, { id }) => test(tests, allowances, id) })
}

/** Answers 200 whatever the receiver did: the test was carried out. */
async function test(tests: WebhookTestParts['tests'], allowances: RateLimiter, owner: string): Promise<Answer> {
  const waitSeconds = allowances.take(owner)
  if (waitSeconds > 0) return failureAnswer(retryLater('too_many_tests', waitSeconds))
  const sent = await tests.send(owner)
  if (!sent.ok) {
    const isUnderWay = sent.failure.code === 'too_many_tests'
    return failureAnswer(isUnderWay ? retryLater('too_many_tests', UNDER_WAY_SECONDS) : sent.failure)
  }
  const { id, url, result } = sent.value
  return jsonAnswer(200, {
    id,
    url,
    state: isDelivered(result) ? 'delivered' : 'failed',
    httpStatus: result.kind === 'answered' ? result.httpStatus : null,
    failure: result.kind === 'failed' ? result.reason : null,
    durationMs: result.durationMs,
  })
}
