import { PERMISSIONS } from '../../domain/api-key.js'
import { examples } from './examples.js'
import { operations } from './operation.js'
import { identityInPath, ownerInBody } from './parameters.js'
import { hex, list, orNull, record, text } from './schema.js'

const registration = record(
  {
    owner: ownerInBody,
    label: text('Trimmed, truncated to 60 characters.', { pattern: '\\S' }),
    publicKey: text('A compressed public key of secp256k1.', { pattern: '^(0x)?0[23][0-9a-fA-F]{64}$' }),
    permissions: list(text('Unknown ones are dropped.'), {
      contains: { enum: PERMISSIONS },
      description: `At least one of ${PERMISSIONS.join(', ')}. Only \`invoices:create\` is enforced.`,
    }),
    ttlDays: orNull({
      type: 'number',
      exclusiveMinimum: 0,
      description: 'Days until it expires, fractions allowed. Without it the key never expires.',
    }),
  },
  ['ttlDays'],
)

export const apiKeyOperations = operations({
  'POST /api/api-keys': {
    id: 'registerApiKey',
    chapter: 'API keys',
    summary: 'Register a public key',
    description:
      "A public key belongs to one record for ever. In strict mode the request is signed with the identity's own key.",
    path: {},
    query: {},
    body: {
      required: true,
      schema: registration,
      examples: {
        ordinary: {
          owner: examples.apiKey.owner,
          label: 'quickstart',
          publicKey: examples.apiKey.public_key,
          permissions: ['invoices:create'],
          ttlDays: 1,
        },
      },
    },
    answers: { 201: { description: 'The record.', body: 'ApiKey', example: examples.apiKey } },
    errors: ['invalid_json', 'invalid_api_key_registration', 'public_key_registered', 'too_many_keys'],
  },
  'GET /api/users/:id/api-keys': {
    id: 'listApiKeys',
    chapter: 'API keys',
    summary: 'List the API keys of an identity',
    description: 'Newest first.',
    path: { id: identityInPath },
    query: {},
    answers: { 200: { description: 'The records.', body: ['ApiKey'], example: [examples.apiKey] } },
    errors: [],
  },
  'POST /api/api-keys/:id/revoke': {
    id: 'revokeApiKey',
    chapter: 'API keys',
    summary: 'Revoke an API key',
    description: 'Once it has answered, nothing more is created with the key. Repeating it changes nothing.',
    path: { id: hex(16, 'The id of the key.') },
    query: {},
    body: {
      required: true,
      schema: record({ owner: ownerInBody }),
      examples: { ordinary: { owner: examples.apiKey.owner } },
    },
    answers: {
      200: {
        description: 'The record, revoked.',
        body: 'ApiKey',
        example: { ...examples.apiKey, revoked_at: 1795171630000 },
      },
    },
    errors: ['invalid_json', 'owner_required', 'not_key_owner', 'api_key_not_found'],
  },
})
