import { parsePublicKeyHex, type Secp256k1Engine } from '../../crypto/secp256k1.js'
import { type ApiKeyRegistration, knownPermissions } from '../../domain/api-key.js'
import { failure, type Outcome, refuseField, succeed } from '../../domain/failure.js'
import { parseOwner } from '../../domain/identity.js'
import { wellFormed } from '../../domain/text.js'
import type { KeyPort } from '../../store/keys.js'
import { readJsonObject } from '../body.js'
import { failureAnswer, jsonAnswer } from '../failure-response.js'
import { listAnswer } from '../json-list.js'
import type { Route } from '../router.js'
import type { Answer, Request } from '../server.js'

/** `POST /api/api-keys`, `GET /api/users/:id/api-keys`, `POST /api/api-keys/:id/revoke`. */
export function apiKeyRoutes(keys: KeyPort, engine: Secp256k1Engine): readonly Route[] {
  return [
    { method: 'POST', pattern: '/api/api-keys', handle: (request) => register(keys, engine, request) },
    {
      method: 'GET',
      pattern: '/api/users/:id/api-keys',
      handle: (_request, params) => listAnswer((page) => keys.page(params['id'] ?? '', page)),
    },
    {
      method: 'POST',
      pattern: '/api/api-keys/:id/revoke',
      handle: (request, params) => revoke(keys, params['id'] ?? '', request),
    },
  ]
}

async function register(keys: KeyPort, engine: Secp256k1Engine, request: Request): Promise<Answer> {
  const body = readJsonObject(request.body)
  if (!body.ok) return failureAnswer(body.failure)
  const registration = parseRegistration(body.value, engine)
  if (!registration.ok) return failureAnswer(registration.failure)
  const key = await keys.register(registration.value)
  return key.ok ? jsonAnswer(201, key.value) : failureAnswer(key.failure)
}

/** Every violation is the one generic refusal (decisions 3), with the first field that is to blame. */
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

async function revoke(keys: KeyPort, id: string, request: Request): Promise<Answer> {
  const body = readJsonObject(request.body)
  if (!body.ok) return failureAnswer(body.failure)
  const owner = parseOwner(body.value['owner'])
  if (owner === null) return failureAnswer(failure('owner_required'))
  const key = await keys.revoke(id, owner)
  return key.ok ? jsonAnswer(200, key.value) : failureAnswer(key.failure)
}
