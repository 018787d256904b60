import type { Clock } from '../../clock.js'
import { failureShown, type OwnerEvent, parseEventTypes } from '../../domain/event.js'
import { failure, type Outcome, refuse, retryLater, succeed } from '../../domain/failure.js'
import { judgeRedelivery } from '../../domain/retry.js'
import { isAbsoluteHttpUrl, parseOwner } from '../../domain/text.js'
import {
  type Delivery,
  type DeliveryResult,
  deliveryState,
  isDelivered,
  OVERLAP_DEFAULT_SECONDS,
  OVERLAP_MAX_SECONDS,
  WEBHOOK_PAYLOADS,
} from '../../domain/webhook.js'
import type { OnOwed } from '../../store/changes.js'
import type { OutboxPort } from '../../store/outbox.js'
import type { Page } from '../../store/reading.js'
import type { WebhookPort } from '../../store/webhooks.js'
import type { TestDeliveries } from '../../webhooks/test-deliveries.js'
import { handlers, REDELIVERIES_PER_OWNER_MINUTE, TESTS_PER_OWNER_MINUTE } from '../endpoints.js'
import type { Limiters, RateLimiter } from '../guards/rate-limiter.js'
import { failureAnswer, jsonAnswer, readJsonObject } from '../json.js'
import { readListQuery } from '../list-query.js'
import type { Lists } from '../lists.js'
import type { Answer, Request } from '../server.js'

const MS_PER_SECOND = 1000

/** After this time a test in progress is over for sure: a delivery takes 8 s at most. */
const TEST_MAX_SECONDS = 8

export function webhookConfigurationHandlers(webhooks: WebhookPort) {
  return handlers({
    'GET /api/users/:id/webhook': async (_request, { id }) => jsonAnswer(200, await webhooks.find(id)),
    'PUT /api/users/:id/webhook': (request, { id }) => put(webhooks, id, request),
    'DELETE /api/users/:id/webhook': async (_request, { id }) =>
      jsonAnswer(200, { deleted: await webhooks.delete(id) }),
    'POST /api/users/:id/webhook/rotate': (request, { id }) => rotate(webhooks, id, request),
  })
}

async function put(webhooks: WebhookPort, id: string, request: Request): Promise<Answer> {
  const body = readJsonObject(request.body)
  if (!body.ok) return failureAnswer(body.failure)
  const owner = parseOwner(id)
  if (owner === null) return failureAnswer(failure('invalid_identity'))
  const { callbackUrl, payload: given, types: chosen } = body.value
  if (typeof callbackUrl !== 'string' || !isAbsoluteHttpUrl(callbackUrl)) {
    return failureAnswer(failure('invalid_callback_url'))
  }
  const payload = WEBHOOK_PAYLOADS.find((known) => known === given)
  // Absent or null, a setting stays as it was.
  if (payload === undefined && given !== undefined && given !== null) return failureAnswer(failure('invalid_payload'))
  const types = chosen === undefined || chosen === null ? undefined : parseEventTypes(chosen)
  if (types === null) return failureAnswer(failure('invalid_types'))
  return jsonAnswer(200, await webhooks.put(owner, callbackUrl, payload, types))
}

async function rotate(webhooks: WebhookPort, id: string, request: Request): Promise<Answer> {
  const body = request.body.length === 0 ? succeed<Record<string, unknown>>({}) : readJsonObject(request.body)
  if (!body.ok) return failureAnswer(body.failure)
  const owner = parseOwner(id)
  if (owner === null) return failureAnswer(failure('invalid_identity'))
  const overlapSeconds = parseOverlap(body.value['overlapSeconds'])
  if (!overlapSeconds.ok) return failureAnswer(overlapSeconds.failure)
  return jsonAnswer(200, await webhooks.rotate(owner, overlapSeconds.value * MS_PER_SECOND))
}

function parseOverlap(given: unknown): Outcome<number> {
  if (given === undefined || given === null) return succeed(OVERLAP_DEFAULT_SECONDS)
  const isValid = typeof given === 'number' && Number.isInteger(given) && given >= 0 && given <= OVERLAP_MAX_SECONDS
  return isValid ? succeed(given) : refuse('invalid_overlap')
}

export interface DeliveryParts {
  readonly tests: Pick<TestDeliveries, 'send'>
  readonly outbox: Pick<OutboxPort, 'page' | 'nextOf' | 'find' | 'redeliver'>
  readonly lists: Lists
  readonly clock: Clock
  readonly limiters: Limiters
  /** Called with a redelivery, after it is durable. */
  readonly onOwed: OnOwed
  /** The path of the public URL, without a final slash. Link begins with it. */
  readonly basePath: string
}

export function deliveryHandlers(parts: DeliveryParts) {
  const tests = parts.limiters.add('webhook tests', TESTS_PER_OWNER_MINUTE)
  const redeliveries = parts.limiters.add('redeliveries', REDELIVERIES_PER_OWNER_MINUTE)
  return handlers({
    'POST /api/users/:id/webhook/test': (_request, { id }) => test(parts.tests, tests, id),
    'GET /api/users/:id/webhook/deliveries': (request, { id }) => list(parts, id, request),
    'POST /api/users/:id/webhook/deliveries/:deliveryId/redeliver': (_request, { id, deliveryId }, _signer, trace) =>
      redeliver(parts, redeliveries, id, deliveryId, trace),
  })
}

/** Answers 200 whatever the receiver did: the test was carried out. */
async function test(tests: DeliveryParts['tests'], allowances: RateLimiter, owner: string): Promise<Answer> {
  const waitSeconds = allowances.take(owner)
  if (waitSeconds > 0) return failureAnswer(retryLater('too_many_tests', waitSeconds))
  const sent = await tests.send(owner)
  if (!sent.ok) {
    const isBusy = sent.failure.code === 'too_many_tests'
    return failureAnswer(isBusy ? retryLater('too_many_tests', TEST_MAX_SECONDS) : sent.failure)
  }
  const { id, url, result } = sent.value
  return jsonAnswer(200, { id, url, state: isDelivered(result) ? 'delivered' : 'failed', ...resultShown(result) })
}

async function list({ outbox, lists, basePath }: DeliveryParts, owner: string, request: Request): Promise<Answer> {
  const query = readListQuery(new URLSearchParams(request.query))
  if (!query.ok) return failureAnswer(query.failure)
  const deliveries = {
    owner,
    read: (page: Page) => outbox.page(owner, page),
    nextOf: (page: Page) => outbox.nextOf(owner, page),
    show: toRecord,
    path: `${basePath}/api/users/${encodeURIComponent(owner)}/webhook/deliveries`,
  }
  return lists.answerPage(request, deliveries, query.value)
}

/** Only a delivery that would be sent uses up the owner's allowance. The store judges again, inside its transaction. */
async function redeliver(
  { outbox, clock, onOwed }: DeliveryParts,
  allowances: RateLimiter,
  owner: string,
  id: string,
  trace: string | undefined,
): Promise<Answer> {
  const judged = judgeRedelivery(await outbox.find(id), owner, clock.now())
  if (!judged.ok) return failureAnswer(judged.failure)
  const waitSeconds = allowances.take(owner)
  if (waitSeconds > 0) return failureAnswer(retryLater('too_many_redeliveries', waitSeconds))
  const queued = await outbox.redeliver(owner, id, trace)
  if (!queued.ok) return failureAnswer(queued.failure)
  onOwed([queued.value.owed])
  return jsonAnswer(200, toRecord(queued.value.delivery))
}

/** A delivery as clients see it, without the body. Times are Unix ms. */
function toRecord(delivery: Delivery) {
  return {
    id: delivery.id,
    invoiceId: delivery.invoiceId,
    ...namesIn(delivery),
    status: delivery.status,
    event: delivery.event,
    url: delivery.url,
    state: deliveryState(delivery),
    // Including one in progress; the result is that of the last attempt that is over.
    attempt: delivery.attempts,
    ...resultShown(delivery.result),
    createdAt: delivery.createdAt,
    attemptedAt: delivery.attemptedAt,
    nextAttemptAt: delivery.nextAttemptAt,
  }
}

/** Merchants find the order and the transaction by these. Only the body holds them. */
function namesIn({ body, event }: Delivery): { readonly reference: string | null; readonly txHash: string | null } {
  if (event === null) {
    const { reference, txHash } = JSON.parse(body)
    return { reference, txHash }
  }
  const { data }: { readonly data: Pick<OwnerEvent, 'reference' | 'deposit'> } = JSON.parse(body)
  return { reference: data.reference, txHash: data.deposit?.txHash ?? null }
}

function resultShown(result: DeliveryResult | null) {
  return { ...failureShown(result), durationMs: result?.durationMs ?? null }
}
