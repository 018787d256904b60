import type { OnOwed } from '../../actors/intake.js'
import type { Clock } from '../../clock.js'
import { type Failure, failure } from '../../domain/failure.js'
import { judgeRedelivery, redeliveryWaitMs } from '../../domain/redelivery.js'
import { type Delivery, isDelivered } from '../../domain/webhook.js'
import type { OutboxPort } from '../../store/outbox.js'
import type { Page, PageOf } from '../../store/pages.js'
import { failureAnswer, jsonAnswer } from '../failure-response.js'
import { RateLimiter } from '../guards/rate-limiter.js'
import { listAnswer } from '../json-list.js'
import { LIST_PARAMETERS, readListQuery } from '../list-query.js'
import type { Route } from '../router.js'
import type { Answer, Request } from '../server.js'

const MS_PER_SECOND = 1000

/** Redeliveries of one owner, so that nobody makes the service send without end. */
const REDELIVERIES_PER_MINUTE = 60

export interface DeliveryRoutesParts {
  readonly outbox: Pick<OutboxPort, 'page' | 'find' | 'redeliver'>
  readonly clock: Clock
  /** Told of a redelivery, after it is durable. */
  readonly onOwed: OnOwed
  /** The path of the public URL, without a slash at its end: what Link begins with. */
  readonly basePath: string
}

/** `GET /api/users/:id/webhook/deliveries`, `POST /api/users/:id/webhook/deliveries/:deliveryId/redeliver`. */
export function deliveryRoutes(parts: DeliveryRoutesParts): readonly Route[] {
  const allowances = new RateLimiter(REDELIVERIES_PER_MINUTE, parts.clock)
  return [
    {
      method: 'GET',
      pattern: '/api/users/:id/webhook/deliveries',
      parameters: LIST_PARAMETERS,
      handle: (request, params) => list(parts, params['id'] ?? '', request),
    },
    {
      method: 'POST',
      pattern: '/api/users/:id/webhook/deliveries/:deliveryId/redeliver',
      handle: (_request, params) => redeliver(parts, allowances, params['id'] ?? '', params['deliveryId'] ?? ''),
    },
  ]
}

async function list({ outbox, basePath }: DeliveryRoutesParts, owner: string, request: Request): Promise<Answer> {
  const query = readListQuery(request.query)
  if (!query.ok) return failureAnswer(query.failure)
  const { limit, cursor } = query.value
  const read = async (page: Page): Promise<PageOf<DeliveryRecord>> => {
    const { items, next } = await outbox.page(owner, page)
    return { items: items.map(toRecord), next }
  }
  if (limit === null) return listAnswer(read, cursor)
  const page = await read({ after: cursor, limit })
  return jsonAnswer(
    200,
    page.items,
    nextLink(`${basePath}/api/users/${encodeURIComponent(owner)}/webhook/deliveries`, limit, page.next),
  )
}

/** Only what would be sent uses up the owner's allowance. The store judges again, inside its transaction. */
async function redeliver(
  { outbox, clock, onOwed }: DeliveryRoutesParts,
  allowances: RateLimiter,
  owner: string,
  id: string,
): Promise<Answer> {
  const nowMs = clock.now()
  const delivery = await outbox.find(id)
  const judged = judgeRedelivery(delivery, owner, nowMs)
  const waitSeconds = judged.ok ? allowances.take(owner) : 0
  if (waitSeconds > 0) return failureAnswer(failure('too_many_redeliveries'), { 'Retry-After': String(waitSeconds) })
  const queued = judged.ok ? await outbox.redeliver(owner, id) : judged
  if (!queued.ok) return failureAnswer(queued.failure, pauseOf(queued.failure, delivery, nowMs))
  onOwed([queued.value.owed])
  return jsonAnswer(200, toRecord(queued.value.delivery))
}

/** When a delivery that was sent again too soon may be. */
function pauseOf(refusal: Failure, delivery: Delivery | undefined, nowMs: number): Record<string, string> {
  if (refusal.code !== 'too_many_redeliveries' || delivery === undefined) return {}
  const waitSeconds = Math.ceil(redeliveryWaitMs(delivery, nowMs) / MS_PER_SECOND)
  return { 'Retry-After': String(Math.max(1, waitSeconds)) }
}

/** A delivery as clients see it. Times in Unix ms. The body is not in it: it is what the invoice's owner was sent. */
interface DeliveryRecord {
  readonly id: string
  readonly invoiceId: string
  readonly reference: string
  readonly txHash: string
  readonly status: Delivery['status']
  readonly url: string
  readonly state: 'queued' | 'sending' | 'waiting' | 'delivered' | 'failed'
  /** How many attempts there were, the one under way included. */
  readonly attempt: number
  /** Of the last attempt that is over, like the two after it. */
  readonly httpStatus: number | null
  readonly failure: string | null
  readonly durationMs: number | null
  readonly createdAt: number
  readonly attemptedAt: number | null
  readonly nextAttemptAt: number | null
}

function toRecord(delivery: Delivery): DeliveryRecord {
  const { result } = delivery
  return {
    id: delivery.id,
    invoiceId: delivery.invoiceId,
    ...namesIn(delivery.body),
    status: delivery.status,
    url: delivery.url,
    state: stateOf(delivery),
    attempt: delivery.attempts,
    httpStatus: result?.kind === 'answered' ? result.httpStatus : null,
    failure: result?.kind === 'failed' ? result.reason : null,
    durationMs: result?.durationMs ?? null,
    createdAt: delivery.createdAt,
    attemptedAt: delivery.attemptedAt,
    nextAttemptAt: delivery.nextAttemptAt,
  }
}

/** By which a merchant finds the order and the transaction. The body is the only place that keeps them. */
function namesIn(body: string): Pick<DeliveryRecord, 'reference' | 'txHash'> {
  const { reference, txHash }: { readonly reference: string; readonly txHash: string } = JSON.parse(body)
  return { reference, txHash }
}

function stateOf({ state, result }: Delivery): DeliveryRecord['state'] {
  switch (state) {
    case 'queued':
    case 'waiting':
      return state
    case 'attempted':
      return 'sending'
    case 'settled':
      return result !== null && isDelivered(result) ? 'delivered' : 'failed'
  }
}

/** RFC 8288, a relative reference. */
function nextLink(path: string, limit: number, next: string | null): Record<string, string> {
  return next === null ? {} : { Link: `<${path}?limit=${limit}&cursor=${next}>; rel="next"` }
}
