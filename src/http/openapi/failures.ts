import { apiFailures, type FailureCode } from '../../domain/failure.js'
import { type Endpoint, endpoints, isForOwnPages } from '../endpoints.js'
import type { DocumentedTag } from '../operations/operation.js'
import { documented } from './documented.js'

/** The failures of an operation: its handler's, and those that follow from the table of endpoints. */
export function failuresOf(tag: DocumentedTag): readonly FailureCode[] {
  const endpoint = endpoints[tag]
  const all = new Set<FailureCode>([
    ...documented[tag].errors,
    ...accessFailures(endpoint),
    ...limitFailures(endpoint),
    ...httpFailures(tag, endpoint),
  ])
  return apiFailures.filter((code) => all.has(code))
}

function accessFailures(endpoint: Endpoint): readonly FailureCode[] {
  const signature = ['missing_auth_headers', 'invalid_timestamp', 'invalid_signature'] as const
  const key = ['unknown_api_key', 'api_key_revoked', 'api_key_expired'] as const
  switch (endpoint.access) {
    case 'api-key':
      return [...signature, ...key, 'permission_missing']
    case 'owner':
      return [
        ...signature,
        ...key,
        'not_owner',
        ...(
          { path: [], body: ['owner_required'], invoice: ['invoice_not_found'], order: ['order_not_found'] } as const
        )[endpoint.owner],
      ]
    case 'identity':
      return [...signature, 'not_identity_key', 'unknown_identity', 'ledger_unreachable']
    case 'gateway':
      return ['invalid_gateway_signature', 'not_found']
    case 'sandbox':
      return ['not_found']
    default:
      return []
  }
}

function limitFailures({ counts = 'request' }: Endpoint): readonly FailureCode[] {
  return counts === 'nothing' ? [] : ['rate_limited']
}

function httpFailures(tag: DocumentedTag, endpoint: Endpoint): readonly FailureCode[] {
  const isWrite = !tag.startsWith('GET ') || endpoint.counts === 'claim'
  return [
    ...(['malformed_request', 'request_timeout', 'headers_too_large', 'wrong_host'] as const),
    ...(['internal', 'overloaded'] as const),
    ...(endpoint.query === 'any' ? [] : (['invalid_query'] as const)),
    ...(isForOwnPages(tag, endpoint) ? (['cross_site'] as const) : []),
    ...(isWrite ? (['storage_unavailable'] as const) : []),
    ...(tag.startsWith('GET ') ? [] : (['length_required', 'body_too_large'] as const)),
    ...(!tag.startsWith('GET ') && isForOwnPages(tag, endpoint) ? (['unsupported_media_type'] as const) : []),
  ]
}
