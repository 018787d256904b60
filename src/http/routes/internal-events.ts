import type { Clock } from '../../clock.js'
import { failure, type Outcome } from '../../domain/failure.js'
import { type ApplyEvents, applyEvents, type ParsedEvent, parseEvents } from '../../ledger/gateway-events.js'
import { type GatewayPush, isGatewayPush, mayBeGatewayPush } from '../../ledger/gateway-signature.js'
import { readJsonObject } from '../body.js'
import { failureAnswer, jsonAnswer } from '../failure-response.js'
import type { GatewayComplaints } from '../guards/gateway-complaints.js'
import type { Route } from '../router.js'
import type { Answer, Request, RequestHead } from '../server.js'

/** The path, which no limit counts: it is the operator's own. */
export const PUSH_PATH = '/internal/events'
/** A push may be larger than other bodies (decisions 8). */
export const PUSH_LIMIT_BYTES = 1_048_576

export interface InternalEventsOptions {
  /** Null when no gateway is configured: then there is no route. */
  readonly secret: string | null
  readonly intake: { readonly apply: ApplyEvents }
  readonly clock: Clock
  /** Hears of what is rejected. */
  readonly complaints: Pick<GatewayComplaints, 'rejected'>
}

/** `POST /internal/events`: what the ledger gateway pushes. Nothing of a body is parsed before its signature holds. */
export function internalEventsRoutes(options: InternalEventsOptions): readonly Route[] {
  const { secret, intake, clock, complaints } = options
  if (secret === null) return []

  async function handle(secret: string, request: Request): Promise<Answer> {
    const nowMs = clock.now()
    const { requestId } = request
    if (!isGatewayPush({ ...proofIn(request), body: request.body }, secret, nowMs)) {
      complaints.rejected('signature', { requestId })
      return failureAnswer(failure('invalid_gateway_signature'))
    }
    const events = readEvents(request.body, nowMs)
    if (!events.ok) {
      complaints.rejected('body', { requestId, code: events.failure.code })
      return failureAnswer(events.failure)
    }
    const results = await applyEvents(events.value, (batch) => intake.apply(batch))
    for (const { id, status, error } of results) {
      if (status === 'rejected') complaints.rejected('event', { requestId, eventId: id, reason: error })
    }
    return jsonAnswer(200, { results })
  }

  return [
    {
      method: 'POST',
      pattern: '/internal/events',
      bodyLimitBytes: PUSH_LIMIT_BYTES,
      refuseHead: (head) => {
        if (mayBeGatewayPush(proofIn(head), clock.now())) return null
        complaints.rejected('signature', { requestId: head.requestId })
        return failure('invalid_gateway_signature')
      },
      handle: (request) => handle(secret, request),
    },
  ]
}

function readEvents(bytes: Buffer, nowMs: number): Outcome<readonly ParsedEvent[]> {
  const body = readJsonObject(bytes)
  return body.ok ? parseEvents(body.value, nowMs) : body
}

function proofIn(head: RequestHead): Omit<GatewayPush, 'body'> {
  return { timestamp: head.header('x-gateway-timestamp'), signature: head.header('x-gateway-signature') }
}
