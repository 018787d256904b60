import type { FailureCode } from '../../domain/failure.js'
import { failureStatus } from '../failure-status.js'
import type { DocumentedTag, Operation } from '../operations/operation.js'
import { errorHeaders } from './answer-headers.js'
import { failuresOf } from './failures.js'

/** Errors under `/pay` and `/order` are pages (`failurePages`). */
const hasErrorPages = (tag: string) => / \/(pay|order)\//.test(tag)

/** The errors of an operation, by status. */
export function errorResponses(tag: DocumentedTag, operation: Operation) {
  const byStatus = new Map<number, FailureCode[]>()
  for (const code of failuresOf(tag)) {
    const status = failureStatus[code]
    byStatus.set(status, [...(byStatus.get(status) ?? []), code])
  }
  return Object.fromEntries(
    [...byStatus]
      .filter(([status]) => operation.answers[status] === undefined)
      .map(([status, group]) => [String(status), hasErrorPages(tag) ? pageOf(status, group) : errorOf(status, group)]),
  )
}

/** Errors that many operations have, by the name of their response. Those of one code are named after it. */
const SHARED: Readonly<Record<string, readonly [FailureCode, ...FailureCode[]]>> = {
  Malformed: ['invalid_query', 'malformed_request'],
  NotSigned: [
    ...(['missing_auth_headers', 'invalid_timestamp', 'invalid_signature'] as const),
    ...(['unknown_api_key', 'api_key_revoked', 'api_key_expired'] as const),
  ],
  NotOwner: ['not_owner'],
  NotOwnerOrCrossSite: ['not_owner', 'cross_site'],
  NoSuchInvoice: ['invoice_not_found'],
  NotFound: ['not_found'],
  CrossSite: ['cross_site'],
  RequestTimeout: ['request_timeout'],
  LengthRequired: ['length_required'],
  BodyTooLarge: ['body_too_large'],
  UnsupportedMediaType: ['unsupported_media_type'],
  WrongHost: ['wrong_host'],
  RateLimited: ['rate_limited'],
  HeadersTooLarge: ['headers_too_large'],
  Internal: ['internal'],
  Overloaded: ['overloaded'],
  Unavailable: ['overloaded', 'storage_unavailable'],
}

/** Those that pages have too, as pages. */
const SHARED_PAGES = [
  ...(['Malformed', 'NotFound', 'RequestTimeout', 'WrongHost'] as const),
  ...(['RateLimited', 'HeadersTooLarge', 'Internal', 'Overloaded'] as const),
]

const pageName = (name: string) => `${name}Page`

export const sharedResponses = {
  ...Object.fromEntries(
    Object.entries(SHARED).map(([name, group]) => [name, errorResponse(failureStatus[group[0]], group)]),
  ),
  ...Object.fromEntries(
    SHARED_PAGES.map((name) => {
      const group = groupNamed(name)
      return [pageName(name), errorPage(failureStatus[group[0]], group)]
    }),
  ),
}

function groupNamed(name: string): readonly [FailureCode, ...FailureCode[]] {
  const group = SHARED[name]
  if (group === undefined) throw new Error(`no shared response is named ${name}`)
  return group
}

function errorOf(status: number, group: readonly FailureCode[]) {
  const shared = Object.keys(SHARED).find((name) => SHARED[name]?.join() === group.join())
  return shared === undefined ? errorResponse(status, group) : { $ref: `#/components/responses/${shared}` }
}

function errorResponse(status: number, group: readonly FailureCode[]) {
  return {
    description: group.map((code) => `\`${code}\``).join(', '),
    headers: errorHeaders(status),
    content: {
      'application/json': {
        schema: {
          allOf: [
            { $ref: '#/components/schemas/Error' },
            { type: 'object', properties: { code: { type: 'string', enum: group } } },
          ],
        },
        examples: Object.fromEntries(group.map((code) => [code, { $ref: `#/components/examples/${code}` }])),
      },
    },
  }
}

function pageOf(status: number, group: readonly FailureCode[]) {
  const shared = SHARED_PAGES.find((name) => groupNamed(name).join() === group.join())
  return shared === undefined ? errorPage(status, group) : { $ref: `#/components/responses/${pageName(shared)}` }
}

function errorPage(status: number, group: readonly FailureCode[]) {
  return {
    description: group.map((code) => `\`${code}\``).join(', '),
    headers: errorHeaders(status),
    content: { 'text/html': { schema: { type: 'string', description: 'A page of HTML.' } } },
  }
}
