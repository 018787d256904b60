import type { KnownIdentities } from '../../auth/known-identities.js'
import { parsePublicKeyHex, type Secp256k1Engine } from '../../crypto/secp256k1.js'
import { type ApiKeyRegistration, knownPermissions } from '../../domain/api-key.js'
import { failure, type Outcome, refuseField, succeed } from '../../domain/failure.js'
import { parseOwner, wellFormed } from '../../domain/text.js'
import type { KeyPort } from '../../store/keys.js'
import { handlers } from '../endpoints.js'
import { failureAnswer, jsonAnswer, outcomeAnswer, ownerInBody, readJsonObject } from '../json.js'
import type { Lists } from '../lists.js'
import type { Answer, Request } from '../server.js'

export function identityHandlers(identities: Pick<KnownIdentities, 'exists'>) {
  return handlers({
    'GET /api/identity/:id/exists': async (_request, { id }) => {
      const exists = await identities.exists(id)
      return typeof exists === 'string' ? failureAnswer(failure(exists)) : jsonAnswer(200, { exists })
    },
  })
}

export function apiKeyHandlers(keys: KeyPort, engine: Secp256k1Engine, lists: Lists) {
  return handlers({
    'POST /api/api-keys': (request) => register(keys, engine, request),
    'GET /api/users/:id/api-keys': (request, { id }) =>
      lists.answer(request, { owner: id, read: (page) => keys.page(id, page) }),
    'POST /api/api-keys/:id/revoke': (request, { id }, _signer, trace) => revoke(keys, id, request, trace),
  })
}

async function register(keys: KeyPort, engine: Secp256k1Engine, request: Request): Promise<Answer> {
  const body = readJsonObject(request.body)
  if (!body.ok) return failureAnswer(body.failure)
  const registration = parseRegistration(body.value, engine)
  if (!registration.ok) return failureAnswer(registration.failure)
  return outcomeAnswer(201, await keys.register(registration.value))
}

/** Every violation gets the same refusal (decisions 3), which names the first field to blame. */
function parseRegistration(
  body: Readonly<Record<string, unknown>>,
  engine: Secp256k1Engine,
): Outcome<ApiKeyRegistration> {
  const owner = parseOwner(body['owner'])
  if (owner === null) return refuseRegistration('owner')
  const label = typeof body['label'] === 'string' ? wellFormed(body['label']).trim() : ''
  if (label === '') return refuseRegistration('label')
  const publicKeyText = body['publicKey']
  if (typeof publicKeyText !== 'string') return refuseRegistration('publicKey')
  const publicKey = parsePublicKeyHex(publicKeyText)
  if (publicKey === null || !engine.isPublicKey(publicKey)) return refuseRegistration('publicKey')
  const permissions = Array.isArray(body['permissions']) ? knownPermissions(body['permissions']) : []
  if (permissions.length === 0) return refuseRegistration('permissions')
  const ttlDays = body['ttlDays'] ?? null
  if (ttlDays !== null && typeof ttlDays !== 'number') return refuseRegistration('ttlDays')
  return succeed({ owner, label, publicKeyText, publicKey, permissions, ttlDays })
}

function refuseRegistration(field: string) {
  return refuseField('invalid_api_key_registration', field)
}

async function revoke(keys: KeyPort, id: string, request: Request, trace: string | undefined): Promise<Answer> {
  const owner = ownerInBody(request.body, 'owner_required')
  if (!owner.ok) return failureAnswer(owner.failure)
  return outcomeAnswer(200, await keys.revoke(id, owner.value, trace))
}
