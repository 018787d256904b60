/** Headers of answers, by name. */
export const answerHeaders = {
  'X-Request-Id': {
    description: 'The id of the request, which the log names.',
    required: true,
    schema: { type: 'string', pattern: '^[A-Za-z0-9._~-]{1,128}$' },
  },
  'Retry-After': {
    description: 'Seconds after which to retry.',
    required: true,
    schema: { type: 'integer', minimum: 0 },
  },
  Location: {
    description:
      'The path of the new invoice or order, or of the page of an order, to resolve against the address that you called.',
    required: true,
    schema: { type: 'string', pattern: '/(api/(invoices|orders)|order)/[0-9a-f]{32}' },
  },
  Link: {
    description: 'The next page, as in RFC 8288; absent at the end. Resolve it against the address that you called.',
    schema: { type: 'string', pattern: '^<[^>]+>; rel="next"$' },
  },
  'Invoice-Expires-At': {
    description: 'When the invoice expires unless it is paid or being paid, Unix milliseconds; absent for never.',
    schema: { type: 'string', pattern: '^[0-9]+$' },
  },
  'Idempotency-Replayed': {
    description: 'The answer is that of an earlier request with the same `Idempotency-Key`.',
    schema: { type: 'string', enum: ['true'] },
  },
  'Access-Control-Allow-Origin': {
    description: 'Ledger nodes let every web page read their answers.',
    schema: { type: 'string', enum: ['*'] },
  },
  ETag: {
    description: 'Names this content. Send it as `If-None-Match`.',
    required: true,
    schema: { type: 'string', pattern: '^(W/)?"[^"]+"$' },
  },
} as const

export const REQUEST_ID_HEADER = { 'X-Request-Id': { $ref: '#/components/headers/X-Request-Id' } }
const RETRY_HEADERS = { ...REQUEST_ID_HEADER, 'Retry-After': { $ref: '#/components/headers/Retry-After' } }

/** Those of every error with this status. */
export function errorHeaders(status: number) {
  return status === 429 || status === 503 ? RETRY_HEADERS : REQUEST_ID_HEADER
}
