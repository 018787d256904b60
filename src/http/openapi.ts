import { blamedFields, type FailureCode, failure, failureMessages } from '../domain/failure.js'
import { type Endpoint, endpoints, isForOwnPages } from './endpoints.js'
import { failureOccasions } from './failure-occasions.js'
import { failureStatus } from './failure-status.js'
import { apiKeyOperations } from './operations/api-keys.js'
import { gatewayOperations } from './operations/gateway.js'
import { invoiceOperations } from './operations/invoices.js'
import {
  type AnswerAbout,
  CHAPTERS,
  type DocumentedTag,
  type Operation,
  type Operations,
} from './operations/operation.js'
import { examples, type RecordName, records } from './operations/records.js'
import { sandboxOperations } from './operations/sandbox.js'
import { type Schema, text } from './operations/schema.js'
import { paymentPageOperations, serviceOperations } from './operations/service.js'
import { walletOperations } from './operations/wallets.js'
import { webhookOperations } from './operations/webhooks.js'

/*
 * The OpenAPI document of the service. It joins the table of endpoints with what `operations/` says of each, and adds
 * the errors that follow from the table: those of access, of browsers, of limits and of HTTP.
 */

const documented: Operations<DocumentedTag> = {
  ...invoiceOperations,
  ...apiKeyOperations,
  ...webhookOperations,
  ...walletOperations,
  ...paymentPageOperations,
  ...serviceOperations,
  ...gatewayOperations,
  ...sandboxOperations,
}

export interface DocumentFacts {
  readonly version: string
  /** The path of the public URL, without a final slash. */
  readonly basePath: string
}

/** The document. It is the same whatever the settings are, but for the path in `servers`. */
export function openApiDocument({ version, basePath }: DocumentFacts) {
  const paths: Record<string, Record<string, unknown>> = {}
  for (const [tag, operation] of Object.entries<Operation>(documented)) {
    const { method, template } = partsOf(tag)
    paths[template] = { ...paths[template], [method]: operationObject(tag as DocumentedTag, operation) }
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Billhook',
      version,
      summary: 'Invoices over a signed API, payments to your own wallets, signed webhooks.',
      description: description(),
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: basePath === '' ? '/' : basePath, description: 'This service.' }],
    tags: Object.entries(CHAPTERS).map(([name, about]) => ({ name, description: about })),
    paths,
    webhooks: { deposit: { post: deliveryObject() } },
    components: {
      schemas: records,
      headers: answerHeaders,
      parameters: { RequestId: requestId },
      responses: sharedResponses,
      // No operation is reached by another method than its own.
      examples: Object.fromEntries(
        codes.filter((code) => code !== 'method_not_allowed').map((code) => [code, exampleOf(code)]),
      ),
      securitySchemes,
    },
  }
}

/** `POST /api/invoices/:id/void` is `post` of `/api/invoices/{id}/void`. */
function partsOf(tag: string): { readonly method: string; readonly template: string } {
  const [method = '', pattern = ''] = tag.split(' ')
  return { method: method.toLowerCase(), template: pattern.replace(/:(\w+)/g, '{$1}') }
}

function operationObject(tag: DocumentedTag, operation: Operation) {
  const endpoint = endpoints[tag]
  const { id, chapter, summary, path, query, headers = {}, body } = operation
  const parameters = [
    ...Object.entries(path).map(([name, schema]) => parameter('path', name, schema)),
    ...Object.entries<Schema>(query).map(([name, schema]) => parameter('query', name, schema)),
    ...Object.entries(headers).map(([name, schema]) => parameter('header', name, schema)),
    { $ref: '#/components/parameters/RequestId' },
  ]
  return {
    operationId: id,
    tags: [chapter],
    summary,
    ...descriptionOf(tag, endpoint, operation),
    parameters,
    ...(body === undefined
      ? {}
      : {
          requestBody: {
            required: body.required,
            content: {
              'application/json': {
                schema: body.schema,
                examples: Object.fromEntries(Object.entries(body.examples).map(([name, value]) => [name, { value }])),
              },
            },
          },
        }),
    responses: { ...answers(operation), ...errorResponses(tag, operation) },
    security: securityOf(endpoint),
  }
}

function parameter(place: 'path' | 'query' | 'header', name: string, { description, ...schema }: Schema) {
  return { name, in: place, ...(place === 'path' ? { required: true } : {}), description, schema }
}

const requestId = parameter(
  'header',
  'X-Request-Id',
  text('The id of the request in the answer and in the log. Anything else is replaced by a new one.', {
    pattern: '^[A-Za-z0-9._~-]{1,128}$',
  }),
)

function descriptionOf(tag: string, endpoint: Endpoint, { description }: Operation) {
  const parts = [description, accessWords(tag, endpoint)].filter((part) => part !== undefined)
  return parts.length === 0 ? {} : { description: parts.join('\n\n') }
}

/** What the list of security requirements cannot say. */
function accessWords(tag: string, endpoint: Endpoint): string | undefined {
  switch (endpoint.access) {
    case 'api-key':
      return `**Signed text begins with** \`${tag}\`. The key needs the permission \`${endpoint.permission}\`. Without a signature \`owner\` in the body is trusted, if the service allows it (\`BILLHOOK_UNSIGNED\`) and is not in strict mode.`
    case 'owner':
      return `**In strict mode** it is signed by any active key of the owner; the signed text begins with \`${tag}\`. Otherwise it is open.`
    case 'identity':
      return `**In strict mode** the signed text begins with \`${tag}\`. Otherwise it is open.`
    default:
      return undefined
  }
}

const SIGNED = { ServiceApiKey: [], ServiceTimestamp: [], ServiceSignature: [] }

/** An empty requirement is the open way in. */
function securityOf({ access }: Endpoint) {
  switch (access) {
    case 'api-key':
      return [SIGNED, {}]
    case 'owner':
    case 'identity':
      return [{}, SIGNED]
    case 'gateway':
      return [{ GatewayTimestamp: [], GatewaySignature: [] }]
    default:
      return []
  }
}

function answers({ answers: given }: Operation) {
  return Object.fromEntries(Object.entries(given).map(([status, about]) => [status, answerObject(about)]))
}

function answerObject({ description: about, body, type = 'application/json', headers = [], example }: AnswerAbout) {
  const named = headers.map((name) => [name, { $ref: `#/components/headers/${name}` }])
  const content =
    body === null
      ? {}
      : {
          content: Object.fromEntries(
            [type]
              .flat()
              .map((one) => [one, { schema: schemaOf(body), ...(example === undefined ? {} : { example }) }]),
          ),
        }
  return { description: about, headers: { ...REQUEST_ID_HEADER, ...Object.fromEntries(named) }, ...content }
}

function schemaOf(body: Schema | RecordName | readonly [RecordName]): Schema {
  if (typeof body === 'string') return { $ref: `#/components/schemas/${body}` }
  return Array.isArray(body) ? { type: 'array', items: schemaOf(body[0]) } : (body as Schema)
}

const answerHeaders = {
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
    description: 'The path of the new invoice, to resolve against the address that you called.',
    required: true,
    schema: { type: 'string', pattern: '/api/invoices/[0-9a-f]{32}$' },
  },
  Link: {
    description: 'The next page, as in RFC 8288; absent at the end. Resolve it against the address that you called.',
    schema: { type: 'string', pattern: '^<[^>]+>; rel="next"$' },
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

const REQUEST_ID_HEADER = { 'X-Request-Id': { $ref: '#/components/headers/X-Request-Id' } }
const RETRY_HEADERS = { ...REQUEST_ID_HEADER, 'Retry-After': { $ref: '#/components/headers/Retry-After' } }

const codes = Object.keys(failureMessages) as FailureCode[]

/** What fills the places of messages in examples. */
const SAMPLES = {
  permission: 'invoices:create',
  amount: '25.00',
  currency: 'USDT',
  reason: 'amount is needed with an address',
  parameter: 'referense',
}

const SAMPLE_FIELDS: Readonly<Partial<Record<FailureCode, string>>> = {
  invalid_api_key_registration: 'label',
  invalid_invoice: 'amount',
  invalid_sandbox_deposit: 'amount',
  invalid_query: SAMPLES.parameter,
}

function exampleOf(code: FailureCode) {
  const { message } = failure(code, SAMPLES)
  const field = blamedFields[code] ?? SAMPLE_FIELDS[code]
  return {
    summary: failureOccasions[code],
    value: field === undefined ? { error: message, code } : { error: message, code, field },
  }
}

/** The failures of an operation: its handler's, and those that follow from the table of endpoints. */
function failuresOf(tag: DocumentedTag): readonly FailureCode[] {
  const endpoint = endpoints[tag]
  const all = new Set<FailureCode>([
    ...documented[tag].errors,
    ...accessFailures(endpoint),
    ...limitFailures(endpoint),
    ...httpFailures(tag, endpoint),
  ])
  return codes.filter((code) => all.has(code))
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
        ...({ path: [], body: ['owner_required'], invoice: ['invoice_not_found'] } as const)[endpoint.owner],
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

/** Errors under `/pay` are pages (`failurePages`). */
const hasErrorPages = (tag: string) => tag.includes(' /pay/')

function errorResponses(tag: DocumentedTag, operation: Operation) {
  const byStatus = new Map<number, FailureCode[]>()
  for (const code of failuresOf(tag)) {
    const status = failureStatus[code]
    byStatus.set(status, [...(byStatus.get(status) ?? []), code])
  }
  return Object.fromEntries(
    [...byStatus]
      .filter(([status]) => operation.answers[status] === undefined)
      .map(([status, group]) => [
        String(status),
        hasErrorPages(tag) ? errorPage(status, group) : errorOf(status, group),
      ]),
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

const sharedResponses = Object.fromEntries(
  Object.entries(SHARED).map(([name, group]) => [name, errorResponse(failureStatus[group[0]], group)]),
)

function errorOf(status: number, group: readonly FailureCode[]) {
  const shared = Object.keys(SHARED).find((name) => SHARED[name]?.join() === group.join())
  return shared === undefined ? errorResponse(status, group) : { $ref: `#/components/responses/${shared}` }
}

function errorResponse(status: number, group: readonly FailureCode[]) {
  return {
    description: group.map((code) => `\`${code}\``).join(', '),
    headers: headersOf(status),
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

function errorPage(status: number, group: readonly FailureCode[]) {
  return {
    description: group.map((code) => `\`${code}\``).join(', '),
    headers: headersOf(status),
    content: { 'text/html': { schema: { type: 'string', description: 'A page of HTML.' } } },
  }
}

function headersOf(status: number) {
  return status === 429 || status === 503 ? RETRY_HEADERS : REQUEST_ID_HEADER
}

function deliveryObject() {
  const header = (name: string, about: string) => ({
    ...parameter('header', name, text(about)),
    required: true,
  })
  return {
    operationId: 'deposit',
    tags: ['Webhooks'],
    summary: 'A deposit was seen or confirmed',
    description:
      'Sent to the callback URL. One attempt, unless the operator has switched on retries. Check the signature over the raw body before you parse it, and deduplicate by `txHash` together with `status`.',
    parameters: [
      header('X-Service-Signature', 'Lower-case hex HMAC-SHA256 of the raw body. The key is the text of the secret.'),
      header('webhook-id', 'The id of the message; the same in a repetition.'),
      header('webhook-timestamp', 'When it was sent, Unix seconds.'),
      header('webhook-signature', 'Signatures as in the Standard Webhooks specification, separated by spaces.'),
    ],
    requestBody: {
      required: true,
      content: {
        'application/json': { schema: { $ref: '#/components/schemas/Delivered' }, example: examples.delivered },
      },
    },
    responses: {
      '2XX': { description: 'Taken. Answer within 8 seconds.' },
      '4XX': { description: 'Not taken, as everything that is not 2xx. 410 ends the attempts.' },
    },
    security: [],
  }
}

const inHeader = (name: string, about: string) => ({ type: 'apiKey', in: 'header', name, description: about })

const securitySchemes = {
  ServiceApiKey: inHeader('X-Service-Api-Key', 'The compressed public key of secp256k1, hex. `0x` is optional.'),
  ServiceTimestamp: inHeader(
    'X-Service-Timestamp',
    "Unix milliseconds, digits only, within five minutes of the server's clock.",
  ),
  ServiceSignature: inHeader(
    'X-Service-Signature',
    'Standard base64 of the strict DER ECDSA signature over the SHA-256 of three parts with a line feed between them: the method and the pattern of the endpoint with `:id` as it stands (`POST /api/invoices`), the timestamp as sent, and the exact bytes of the body. High and low S are both accepted. The three headers belong together. There is no bearer secret: a signature is for one request.',
  ),
  GatewayTimestamp: inHeader('X-Gateway-Timestamp', 'Unix milliseconds, within five minutes.'),
  GatewaySignature: inHeader(
    'X-Gateway-Signature',
    'Lower-case hex HMAC-SHA256 of the timestamp, a line feed and the raw body, with the secret that gateway and service share.',
  ),
}

function description(): string {
  const rows = codes.map(
    (code) =>
      `| ${failureStatus[code]} | \`${code}\` | ${cell(failureMessages[code])} | ${cell(failureOccasions[code])} |`,
  )
  return `${CONVENTIONS}\n\n## Errors\n\n${ERRORS}\n\n| Status | code | error | When |\n| --- | --- | --- | --- |\n${rows.join('\n')}\n`
}

function cell(words: string): string {
  return words.replace(/[|<>*]/g, '\\$&')
}

const CONVENTIONS = `Bodies are JSON objects in UTF-8, at most 64 KiB. Times are Unix milliseconds, integers. Amounts are decimal strings and are never rounded. Unknown fields
of a body are ignored; an unknown query parameter is \`invalid_query\`. Every answer carries \`X-Request-Id\`. \`HEAD\` works wherever \`GET\` does. Another method on a known path is
\`method_not_allowed\` with \`Allow\`. Clients must ignore fields that they do not know.

## Signed requests

Three headers sign a request: \`X-Service-Api-Key\`, \`X-Service-Timestamp\` and \`X-Service-Signature\`. The signed text is three parts with a line feed between them, none at the end:

1. the method and the pattern of the endpoint, with \`:id\` as it stands, never the path that is called: \`POST /api/invoices/:id/void\`
2. the timestamp, as in the header
3. the body, the exact bytes that are sent; nothing for \`GET\` and \`DELETE\`

By default only the creation and the voiding of invoices can be signed, and everything else is open. With \`BILLHOOK_STRICT=on\` everything that belongs to an identity is signed. \`GET /api/info\`
says which.`

const ERRORS = `Every error is \`{"error", "code"}\`. Branch on \`code\`, which is stable. A 400 about one field or parameter names it in \`field\`. Every 429 and 503 carries \`Retry-After\`. Errors under \`/pay\`
are pages. What is not HTTP/1.1 at all is refused with 400, 431 or 505 and a line of HTML.`
