import { failure, type Outcome, refuse, succeed } from '../../domain/failure.js'
import { isCallbackUrl, parseOwner } from '../../domain/text.js'
import {
  OVERLAP_DEFAULT_SECONDS,
  OVERLAP_MAX_SECONDS,
  WEBHOOK_PAYLOADS,
  type WebhookPayload,
} from '../../domain/webhook.js'
import type { WebhookPort } from '../../store/webhooks.js'
import { readJsonObject } from '../body.js'
import { handlers } from '../endpoints.js'
import { failureAnswer, jsonAnswer } from '../failure-response.js'
import type { Answer, Request } from '../server.js'

const MS_PER_SECOND = 1000

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
  const callbackUrl = body.value['callbackUrl']
  if (typeof callbackUrl !== 'string' || !isCallbackUrl(callbackUrl)) {
    return failureAnswer(failure('invalid_callback_url'))
  }
  const payload = parsePayload(body.value['payload'])
  if (!payload.ok) return failureAnswer(payload.failure)
  return jsonAnswer(200, await webhooks.put(owner, callbackUrl, payload.value))
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

/** Undefined if absent or null: the setting stays as it was. */
function parsePayload(given: unknown): Outcome<WebhookPayload | undefined> {
  if (given === undefined || given === null) return succeed(undefined)
  const payload = WEBHOOK_PAYLOADS.find((known) => known === given)
  return payload === undefined ? refuse('invalid_payload') : succeed(payload)
}

function parseOverlap(given: unknown): Outcome<number> {
  if (given === undefined || given === null) return succeed(OVERLAP_DEFAULT_SECONDS)
  const isValid = typeof given === 'number' && Number.isInteger(given) && given >= 0 && given <= OVERLAP_MAX_SECONDS
  return isValid ? succeed(given) : refuse('invalid_overlap')
}
