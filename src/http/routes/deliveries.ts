import type { OnOwed } from '../../actors/intake.js'
import type { Clock } from '../../clock.js'
import { retryLater } from '../../domain/failure.js'
import { judgeRedelivery } from '../../domain/retry.js'
import { type Delivery, isDelivered } from '../../domain/webhook.js'
import type { OutboxPort } from '../../store/outbox.js'
import type { Page } from '../../store/reads.js'
import { handlers, REDELIVERIES_PER_OWNER_MINUTE } from '../endpoints.js'
import { failureAnswer, jsonAnswer } from '../failure-response.js'
import { RateLimiter } from '../guards/rate-limiter.js'
import { listAnswer, readListQuery } from '../lists.js'
import type { Answer, Request } from '../server.js'

export interface DeliveryParts {
  readonly outbox: Pick<OutboxPort, 'page' | 'find' | 'redeliver'>
  readonly clock: Clock
  /** Told of a redelivery, after it is durable. */
  readonly onOwed: OnOwed
  /** The path of the public URL, without a final slash. Link begins with it. */
  readonly basePath: string
}

export function deliveryHandlers(parts: DeliveryParts) {
  const allowances = new RateLimiter(REDELIVERIES_PER_OWNER_MINUTE, parts.clock)
  return handlers({
    'GET /api/users/:id/webhook/deliveries': (request, { id }) => list(parts, id, request),
    'POST /api/users/:id/webhook/deliveries/:deliveryId/redeliver': (_request, { id, deliveryId }) =>
      redeliver(parts, allowances, id, deliveryId),
  })
}

async function list({ outbox, basePath }: DeliveryParts, owner: string, request: Request): Promise<Answer> {
  const query = readListQuery(new URLSearchParams(request.query))
  if (!query.ok) return failureAnswer(query.failure)
  const read = async (page: Page) => {
    const { items, next } = await outbox.page(owner, page)
    return { items: items.map(toRecord), next }
  }
  return listAnswer(read, query.value, `${basePath}/api/users/${encodeURIComponent(owner)}/webhook/deliveries`)
}

/** Only a delivery that would be sent uses up the owner's allowance. The store judges again, inside its transaction. */
async function redeliver(
  { outbox, clock, onOwed }: DeliveryParts,
  allowances: RateLimiter,
  owner: string,
  id: string,
): Promise<Answer> {
  const judged = judgeRedelivery(await outbox.find(id), owner, clock.now())
  if (!judged.ok) return failureAnswer(judged.failure)
  const waitSeconds = allowances.take(owner)
  if (waitSeconds > 0) return failureAnswer(retryLater('too_many_redeliveries', waitSeconds))
  const queued = await outbox.redeliver(owner, id)
  if (!queued.ok) return failureAnswer(queued.failure)
  onOwed([queued.value.owed])
  return jsonAnswer(200, toRecord(queued.value.delivery))
}

/** A delivery as clients see it, without the body. Times are Unix ms. */
function toRecord(delivery: Delivery) {
  const { result } = delivery
  return {
    id: delivery.id,
    invoiceId: delivery.invoiceId,
    ...namesIn(delivery.body),
    status: delivery.status,
    url: delivery.url,
    state: stateOf(delivery),
    // Including one under way.
    attempt: delivery.attempts,
    // These three describe the last attempt that is over.
    httpStatus: result?.kind === 'answered' ? result.httpStatus : null,
    failure: result?.kind === 'failed' ? result.reason : null,
    durationMs: result?.durationMs ?? null,
    createdAt: delivery.createdAt,
    attemptedAt: delivery.attemptedAt,
    nextAttemptAt: delivery.nextAttemptAt,
  }
}

/** What a merchant finds the order and the transaction by. Only the body holds them. */
function namesIn(body: string): { readonly reference: string; readonly txHash: string } {
  const { reference, txHash } = JSON.parse(body)
  return { reference, txHash }
}

function stateOf({ state, result }: Delivery): 'queued' | 'sending' | 'waiting' | 'delivered' | 'failed' {
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
