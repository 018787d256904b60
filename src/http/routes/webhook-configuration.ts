import { isCallbackUrl } from '../../domain/callback-url.js'
import { failure } from '../../domain/failure.js'
import { parseOwner } from '../../domain/identity.js'
import type { Store } from '../../store/store.js'
import { readJsonObject } from '../body.js'
import { failureAnswer, jsonAnswer } from '../failure-response.js'
import type { Route } from '../router.js'
import type { Answer, Request } from '../server.js'

const PATTERN = '/api/users/:id/webhook'

/** `GET`, `PUT` and `DELETE /api/users/:id/webhook`. */
export function webhookConfigurationRoutes(store: Store): readonly Route[] {
  return [
    {
      method: 'GET',
      pattern: PATTERN,
      handle: async (_request, params) => jsonAnswer(200, await store.webhook(params['id'] ?? '')),
    },
    { method: 'PUT', pattern: PATTERN, handle: (request, params) => put(store, params['id'] ?? '', request) },
    {
      method: 'DELETE',
      pattern: PATTERN,
      handle: async (_request, params) => jsonAnswer(200, { deleted: await store.deleteWebhook(params['id'] ?? '') }),
    },
  ]
}

async function put(store: Store, id: string, request: Request): Promise<Answer> {
  const body = readJsonObject(request.body)
  if (!body.ok) return failureAnswer(body.failure)
  const owner = parseOwner(id)
  if (owner === null) return failureAnswer(failure('invalid_identity'))
  const callbackUrl = body.value['callbackUrl']
  if (typeof callbackUrl !== 'string' || !isCallbackUrl(callbackUrl)) {
    return failureAnswer(failure('invalid_callback_url'))
  }
  return jsonAnswer(200, await store.putWebhook(owner, callbackUrl))
}
