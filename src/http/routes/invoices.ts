import { createHash } from 'node:crypto'
import type { WalletDirectory } from '../../actors/wallet-directory.js'
import {
  isSigned,
  readSignatureHeaders,
  type SignedRequests,
  type SignedRoute,
  type Signer,
} from '../../auth/signed-request.js'
import type { ApiKey } from '../../domain/api-key.js'
import { failure, type Outcome, refuse, succeed } from '../../domain/failure.js'
import type { IdempotentRequest } from '../../domain/idempotency.js'
import { parseOwner } from '../../domain/identity.js'
import { type Invoice, type InvoiceRequest, parseInvoiceRequest, REFERENCE_LENGTH_MAX } from '../../domain/invoice.js'
import type { Payment } from '../../domain/payment.js'
import { truncate, wellFormed } from '../../domain/text.js'
import { isReady } from '../../store/awaitable.js'
import type { CreationTerms, InvoiceResult } from '../../store/commands.js'
import type { InvoicePort, InvoiceWithPayment } from '../../store/invoices.js'
import type { Page, PageOf } from '../../store/pages.js'
import { readJsonObject } from '../body.js'
import { failureAnswer, jsonAnswer, jsonTextAnswer } from '../failure-response.js'
import type { AllowsUnsigned } from '../guards/unsigned-path.js'
import { parseIdempotencyKey } from '../idempotency-key.js'
import type { InProgress } from '../in-progress.js'
import { listAnswer } from '../json-list.js'
import { LIST_PARAMETERS, type ListQuery, readListQuery, refuseParameter } from '../list-query.js'
import type { Route } from '../router.js'
import type { Answer, Request } from '../server.js'

const IDEMPOTENCY_HEADER = 'idempotency-key'

/** The tag that is signed is a literal of its own and not derived from the URL that was called (specification). */
const CREATE_INVOICE: SignedRoute = { routeTag: 'POST /api/invoices', permission: 'invoices:create' }
const VOID_INVOICE: SignedRoute = { routeTag: 'POST /api/invoices/:id/void', permission: 'invoices:create' }

export interface InvoiceRoutesParts {
  readonly invoices: InvoicePort
  readonly directory: WalletDirectory
  readonly signedRequests: Pick<SignedRequests, 'authenticate'>
  readonly allowsUnsigned: AllowsUnsigned
  /** Requests with an idempotency key that are under way. */
  readonly inProgress: InProgress
  /** The path of the public URL, without a slash at its end: what Location and Link begin with. */
  readonly basePath: string
  /** When invoices expire whose request does not say; null for never. */
  readonly defaultExpirySeconds: number | null
}

/** `POST /api/invoices`, `GET /api/invoices/:id`, `POST /api/invoices/:id/void`, `GET /api/users/:id/invoices`. */
export function invoiceRoutes(parts: InvoiceRoutesParts): readonly Route[] {
  return [
    { method: 'POST', pattern: '/api/invoices', handle: (request) => create(parts, request) },
    {
      method: 'GET',
      pattern: '/api/invoices/:id',
      handle: (_request, params) => show(parts.invoices, params['id'] ?? ''),
    },
    {
      method: 'POST',
      pattern: '/api/invoices/:id/void',
      handle: (request, params) => voidInvoice(parts, params['id'] ?? '', request),
    },
    {
      method: 'GET',
      pattern: '/api/users/:id/invoices',
      parameters: [...LIST_PARAMETERS, 'include', 'reference'],
      handle: (request, params) => list(parts, params['id'] ?? '', request),
    },
  ]
}

async function create(parts: InvoiceRoutesParts, request: Request): Promise<Answer> {
  const who = await signerOf(parts, request, CREATE_INVOICE)
  if (!who.ok) return failureAnswer(who.failure)
  const signer = who.value
  const body = readJsonObject(request.body)
  if (!body.ok) return failureAnswer(body.failure)
  const wanted = parseInvoiceRequest(body.value, signer?.key.owner ?? body.value['owner'], parts.defaultExpirySeconds)
  if (!wanted.ok) return failureAnswer(wanted.failure)
  const terms = termsOf(signer, wanted.value, request.body)
  const header = request.header(IDEMPOTENCY_HEADER)
  if (header === undefined)
    return createdAnswer(await parts.directory.createInvoice(wanted.value, terms), parts.basePath)
  const idempotency = readIdempotency(header, signer?.key ?? null, wanted.value.owner, request.body)
  if (!idempotency.ok) return failureAnswer(idempotency.failure)
  const answer = await parts.inProgress.run(idempotency.value.scope, async () =>
    createdAnswer(
      await parts.directory.createInvoice(wanted.value, { ...terms, idempotency: idempotency.value }),
      parts.basePath,
    ),
  )
  return answer ?? failureAnswer(failure('idempotency_in_progress'))
}

/** What the store has to know of the signature: a request without a reference must not create twice when it is repeated. */
function termsOf(signer: Signer | null, wanted: InvoiceRequest, body: Uint8Array): CreationTerms {
  if (signer === null) return {}
  const { authority, timestamp } = signer
  if (wanted.reference !== null) return { authority }
  const digest = createHash('sha256').update(`${authority.keyId}\n${timestamp}\n`).update(body).digest()
  return { authority, signed: { timestampMs: Number(timestamp), digest } }
}

/** The key that signed the request; null on the unsigned path, where that is allowed. */
function signerOf(
  { signedRequests, allowsUnsigned }: InvoiceRoutesParts,
  request: Request,
  route: SignedRoute,
): Outcome<Signer | null> | Promise<Outcome<Signer | null>> {
  const headers = readSignatureHeaders(request)
  if (isSigned(headers)) return signedRequests.authenticate(headers, request, route)
  return allowsUnsigned(request) ? succeed(null) : refuse('missing_auth_headers')
}

/** A signed request needs no body. */
async function voidInvoice(parts: InvoiceRoutesParts, id: string, request: Request): Promise<Answer> {
  const who = await signerOf(parts, request, VOID_INVOICE)
  if (!who.ok) return failureAnswer(who.failure)
  const owner = who.value === null ? ownerInBody(request) : succeed(who.value.key.owner)
  if (!owner.ok) return failureAnswer(owner.failure)
  const outcome = await parts.directory.voidInvoice(id, owner.value, who.value?.authority)
  return outcome.ok ? jsonAnswer(200, withPayment(outcome.value)) : failureAnswer(outcome.failure)
}

function ownerInBody(request: Request): Outcome<string> {
  const body = readJsonObject(request.body)
  if (!body.ok) return body
  const owner = parseOwner(body.value['owner'])
  return owner === null ? refuse('owner_required') : succeed(owner)
}

function createdAnswer({ outcome, isReplay }: InvoiceResult, basePath: string): Answer {
  if (!outcome.ok) return failureAnswer(outcome.failure)
  const { id } = outcome.value
  const Location = `${basePath}/api/invoices/${id}`
  const headers = isReplay ? { Location, 'Idempotency-Replayed': 'true' } : { Location }
  return jsonTextAnswer(201, `{"id":"${id}","url":"/pay/${id}"}`, headers)
}

/** A key belongs to the API key that signed the request, or to the owner on the unsigned path (decisions 4). */
function readIdempotency(
  header: string,
  signer: ApiKey | null,
  owner: string,
  body: Uint8Array,
): Outcome<IdempotentRequest> {
  const key = parseIdempotencyKey(header)
  if (key === null) return refuse('invalid_idempotency_key')
  const who = signer === null ? ['owner', owner] : ['api key', signer.id]
  // JSON keeps the parts apart whatever is in them.
  const scope = sha256(JSON.stringify([...who, CREATE_INVOICE.routeTag, key]))
  return succeed({ scope, bodyHash: sha256(body) })
}

function sha256(data: string | Uint8Array): Buffer {
  return createHash('sha256').update(data).digest()
}

function show(invoices: InvoicePort, id: string): Answer | Promise<Answer> {
  const found = invoices.findWithPayment(id)
  return isReady(found) ? showAnswer(found) : found.then(showAnswer)
}

/** Answers by what the store answered, which is the same object as long as nothing has changed. */
const shown = new WeakMap<InvoiceWithPayment, Answer>()

function showAnswer(found: InvoiceWithPayment | undefined): Answer {
  if (found === undefined) return failureAnswer(failure('invoice_not_found'))
  let answer = shown.get(found)
  if (answer === undefined) {
    answer = jsonAnswer(200, withPayment(found))
    shown.set(found, answer)
  }
  return answer
}

/** The record, its payment and its ending (decisions 4). */
interface ShownInvoice extends Invoice {
  readonly payment: Payment
  readonly voided_at: number | null
  readonly expires_at: number | null
}

/** Field by field: a spread takes three times as long, most of it when it is encoded. */
function withPayment({ invoice, payment, voidedAt, expiresAt }: InvoiceWithPayment): ShownInvoice {
  return {
    id: invoice.id,
    owner: invoice.owner,
    wallet_id: invoice.wallet_id,
    wallet_ids: invoice.wallet_ids,
    name: invoice.name,
    description: invoice.description,
    reference: invoice.reference,
    amount: invoice.amount,
    currency: invoice.currency,
    callback_url: invoice.callback_url,
    created_at: invoice.created_at,
    payment,
    voided_at: voidedAt,
    expires_at: expiresAt,
  }
}

async function list({ invoices, basePath }: InvoiceRoutesParts, owner: string, request: Request): Promise<Answer> {
  const query = readInvoiceQuery(request.query)
  if (!query.ok) return failureAnswer(query.failure)
  const { limit, cursor, hasPayment, reference } = query.value
  if (reference !== null) return jsonAnswer(200, await withReference(invoices, owner, reference, hasPayment))
  const read = async (page: Page): Promise<PageOf<unknown>> => {
    if (!hasPayment) return invoices.page(owner, page)
    const { items, next } = await invoices.pageWithPayment(owner, page)
    return { items: items.map(withPayment), next }
  }
  if (limit === null) return listAnswer(read, cursor)
  const page = await read({ after: cursor, limit })
  return jsonAnswer(
    200,
    page.items,
    nextLink(`${basePath}/api/users/${encodeURIComponent(owner)}/invoices`, query.value, page.next),
  )
}

/** A reference is unique, so at most one invoice has it; it is compared as it was stored, truncated. */
async function withReference(
  invoices: InvoicePort,
  owner: string,
  reference: string,
  hasPayment: boolean,
): Promise<readonly unknown[]> {
  const invoice = await invoices.findByReference(truncate(wellFormed(reference), REFERENCE_LENGTH_MAX))
  if (invoice === undefined || invoice.owner !== owner) return []
  if (!hasPayment) return [invoice]
  const found = await invoices.findWithPayment(invoice.id)
  return found === undefined ? [] : [withPayment(found)]
}

interface InvoiceQuery extends ListQuery {
  readonly hasPayment: boolean
  readonly reference: string | null
}

function readInvoiceQuery(query: string): Outcome<InvoiceQuery> {
  const list = readListQuery(query)
  if (!list.ok) return list
  const include = list.value.parameters.get('include')
  if (include !== null && include !== 'payment') {
    return refuseParameter('include')
  }
  const reference = list.value.parameters.get('reference')
  return { ok: true, value: { ...list.value, hasPayment: include === 'payment', reference } }
}

/** RFC 8288, a relative reference. */
function nextLink(path: string, { limit, hasPayment }: InvoiceQuery, next: string | null): Record<string, string> {
  if (next === null) return {}
  const query = `limit=${limit}&cursor=${next}${hasPayment ? '&include=payment' : ''}`
  return { Link: `<${path}?${query}>; rel="next"` }
}
