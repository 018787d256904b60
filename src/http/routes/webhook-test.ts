import type { Clock } from '../../clock.js'
import { failure } from '../../domain/failure.js'
import { isDelivered } from '../../domain/webhook.js'
import type { TestDeliveries } from '../../webhooks/test-deliveries.js'
import { failureAnswer, jsonAnswer } from '../failure-response.js'
import { RateLimiter } from '../guards/rate-limiter.js'
import type { Route } from '../router.js'
import type { Answer } from '../server.js'

/** Test deliveries of one owner. */
const TESTS_PER_MINUTE = 6

/** When the test that is under way is over for sure: a delivery takes 8 s at most. */
const UNDER_WAY_SECONDS = 8

export interface WebhookTestParts {
  readonly tests: Pick<TestDeliveries, 'send'>
  readonly clock: Clock
}

/** `POST /api/users/:id/webhook/test`. */
export function webhookTestRoutes({ tests, clock }: WebhookTestParts): readonly Route[] {
  const allowances = new RateLimiter(TESTS_PER_MINUTE, clock)
  return [
    {
      method: 'POST',
      pattern: '/api/users/:id/webhook/test',
      handle: (_request, params) => test(tests, allowances, params['id'] ?? ''),
    },
  ]
}

/** Whatever the receiver did is an answer to the question: 200. */
async function test(tests: WebhookTestParts['tests'], allowances: RateLimiter, owner: string): Promise<Answer> {
  const waitSeconds = allowances.take(owner)
  if (waitSeconds > 0) return tooMany(waitSeconds)
  const sent = await tests.send(owner)
  if (!sent.ok) return sent.failure.code === 'too_many_tests' ? tooMany(UNDER_WAY_SECONDS) : failureAnswer(sent.failure)
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

function tooMany(waitSeconds: number): Answer {
  return failureAnswer(failure('too_many_tests'), { 'Retry-After': String(waitSeconds) })
}
