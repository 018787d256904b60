import type { OnOwed } from '../../actors/intake.js'
import type { Clock } from '../../clock.js'
import { retryLater } from '../../domain/failure.js'
import { judgeRedelivery } from '../../domain/redelivery.js'
import { type Delivery, isDelivered } from '../../domain/webhook.js'
import type { OutboxPort } from '../../store/outbox.js'
import type { Page, PageOf } from '../../store/pages.js'
import { handlers, REDELIVERIES_PER_OWNER_MINUTE } from '../endpoints.js'
import { failureAnswer, jsonAnswer } from '../failure-response.js'
import { RateLimiter } from '../guards/rate-limiter.js'
import { listAnswer } from '../json-list.js'
import { readListQuery } from '../list-query.js'
import type { Answer, Request } from '../server.js'

export interface DeliveryParts {
  readonly outbox: Pick<OutboxPort, 'page' | 'find' | 'redeliver'>
  readonly clock: Clock
  /** Told of a redelivery, after it is durable. */
  readonly onOwed: OnOwed
  /** The path of the public URL, without a slash at its end: what Link begins with. */
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
interface DeliveryRecord {
  readonly id: string
  readonly invoiceId: string
  readonly reference: string
  readonly txHash: string
  readonly status: Delivery['status']
  readonly url: string
  readonly state: 'queued' | 'sending' | 'waiting' | 'delivered' | 'failed'
  /** Number of attempts, including one under way. */
  readonly attempt: number
  /** This and the next two describe the last attempt that is over. */
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

/** What a merchant finds the order and the transaction by. Only the body holds them. */
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
