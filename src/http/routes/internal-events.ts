import type { Clock } from '../../clock.js'
import type { Networks } from '../../domain/network.js'
import { type ApplyEvents, applyEvents, parseEvents } from '../../ledger/gateway-events.js'
import { handlers } from '../endpoints.js'
import type { GatewayComplaints } from '../guards/gateway-complaints.js'
import { failureAnswer, jsonAnswer, readJsonObject } from '../json.js'
import type { Answer, Request } from '../server.js'

export interface InternalEventsParts {
  readonly intake: { readonly apply: ApplyEvents }
  readonly networks: Networks
  readonly clock: Clock
  readonly complaints: Pick<GatewayComplaints, 'rejected'>
}

export function internalEventsHandlers(parts: InternalEventsParts) {
  return handlers({ 'POST /internal/events': (request) => apply(parts, request) })
}

async function apply({ intake, networks, clock, complaints }: InternalEventsParts, request: Request): Promise<Answer> {
  const { requestId } = request
  const body = readJsonObject(request.body)
  const events = body.ok ? parseEvents(body.value, networks, clock.now()) : body
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
