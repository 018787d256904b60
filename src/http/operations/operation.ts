import type { FailureCode } from '../../domain/failure.js'
import type { EndpointTag, ParamsIn, QueryOf } from '../endpoints.js'
import type { RecordName } from './records.js'
import type { Schema } from './schema.js'

/*
 * What the reference says of each endpoint, in one place: `openapi.ts` makes the OpenAPI document from it. What the table
 * of endpoints knows already (who may call it, its query parameters, its limits) is not repeated here: the errors that
 * follow from it are added by `openapi/failures.ts`.
 */

/** The chapters of the reference, in its order. */
export const CHAPTERS = {
  Invoices: 'Requests for payment. Their paid status is computed from the deposits on every read.',
  Orders: 'A price that is paid in one coin or several: an invoice for each, and the order that they belong to.',
  'API keys': 'The public halves of the keys that sign requests.',
  Webhooks: 'Where an identity is notified, the secret that signs, and what was delivered.',
  Events: 'What happened to an identity, in order: for a program that must not miss anything.',
  'Identities and wallets': 'Wallets are claimed here and assigned to an identity on the ledger.',
  'Payment page': 'What a payer sees.',
  Service: 'The service itself.',
  'Ledger gateway': 'What the ledger gateway pushes to the service. It exists if the service has a gateway secret.',
  Sandbox: 'Simulated deposits and a simulated ledger. They exist in a sandbox only; elsewhere they are 404.',
} as const

export type Chapter = keyof typeof CHAPTERS

/** Headers of answers that are described once. Every answer has `X-Request-Id`; every 429 and 503 has `Retry-After`. */
export type AnswerHeader =
  | 'Access-Control-Allow-Origin'
  | 'Location'
  | 'Link'
  | 'Idempotency-Replayed'
  | 'Invoice-Expires-At'
  | 'ETag'

/** Bodies that endpoints serve. */
type MediaType =
  | 'application/json'
  | 'text/html'
  | 'text/event-stream'
  | 'image/svg+xml'
  | 'image/png'
  | 'image/jpeg'
  | 'image/webp'
  | 'text/javascript'
  | 'text/css'
  | 'text/plain'

/** A successful answer; `null` as body is an empty one. */
export interface AnswerAbout {
  readonly description: string
  readonly body: Schema | RecordName | readonly [RecordName] | null
  /** `application/json` if absent. */
  readonly type?: MediaType | readonly MediaType[]
  readonly headers?: readonly AnswerHeader[]
  readonly example?: unknown
}

interface BodyAbout {
  /** Whether the request must have a body. */
  readonly required: boolean
  readonly schema: Schema
  /** Accepted bodies, by what they show. */
  readonly examples: Readonly<Record<string, unknown>>
}

export interface Operation<Tag extends EndpointTag = EndpointTag> {
  /** The name of the operation in generated clients. */
  readonly id: string
  readonly chapter: Chapter
  readonly summary: string
  readonly description?: string
  readonly path: { readonly [Name in ParamsIn<Tag>]: Schema }
  readonly query: { readonly [Name in QueryOf<Tag>]: Schema }
  /** Headers of the request that only this operation reads. */
  readonly headers?: Readonly<Record<string, Schema>>
  readonly body?: BodyAbout
  readonly answers: Readonly<Record<number, AnswerAbout>>
  /** The failures of the handler itself. */
  readonly errors: readonly FailureCode[]
}

/** Not in the document: what only the operator's own listeners serve, and a second spelling. */
type Undocumented =
  | Extract<EndpointTag, `${string} /admin/${string}` | `${string} /console${string}`>
  | 'GET /metrics'
  // A program of the service that uses the API, and no part of it.
  | 'GET /app'
  | 'GET /app/:file'
  // The same as without the slash at the end.
  | 'POST /sandbox/ledger/'

export type DocumentedTag = Exclude<EndpointTag, Undocumented>

export type Operations<Tags extends DocumentedTag> = { readonly [Tag in Tags]: Operation<Tag> }

/** Operations with their parameters typed from the table of endpoints: one that is missing does not compile. */
export function operations<Tags extends DocumentedTag>(given: Operations<Tags>): Operations<Tags> {
  return given
}
