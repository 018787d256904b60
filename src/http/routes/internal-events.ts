import type { Clock } from '../../clock.js'
import { failure } from '../../domain/failure.js'
import { type ApplyEvents, applyEvents, parseEvents } from '../../ledger/gateway-events.js'
import { type GatewayPush, isGatewayPush, mayBeGatewayPush } from '../../ledger/gateway-signature.js'
import { readJsonObject } from '../body.js'
import { failureAnswer, jsonAnswer } from '../failure-response.js'
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
}

/** `POST /internal/events`: what the ledger gateway pushes. Nothing of a body is parsed before its signature holds. */
export function internalEventsRoutes({ secret, intake, clock }: InternalEventsOptions): readonly Route[] {
  if (secret === null) return []

  async function handle(secret: string, request: Request): Promise<Answer> {
    const nowMs = clock.now()
    if (!isGatewayPush({ ...proofIn(request), body: request.body }, secret, nowMs)) {
      return failureAnswer(failure('invalid_gateway_signature'))
    }
    const body = readJsonObject(request.body)
    if (!body.ok) return failureAnswer(body.failure)
    const events = parseEvents(body.value, nowMs)
    if (!events.ok) return failureAnswer(events.failure)
    return jsonAnswer(200, { results: await applyEvents(events.value, (batch) => intake.apply(batch)) })
  }

  return [
    {
      method: 'POST',
      pattern: '/internal/events',
      bodyLimitBytes: PUSH_LIMIT_BYTES,
      refuseHead: (head) =>
        mayBeGatewayPush(proofIn(head), clock.now()) ? null : failure('invalid_gateway_signature'),
      handle: (request) => handle(secret, request),
    },
  ]
}

function proofIn(head: RequestHead): Omit<GatewayPush, 'body'> {
  return { timestamp: head.header('x-gateway-timestamp'), signature: head.header('x-gateway-signature') }
}
