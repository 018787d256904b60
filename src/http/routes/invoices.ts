import type { WalletDirectory } from '../../actors/wallet-directory.js'
import {
  API_KEY_HEADER,
  isSigned,
  SIGNATURE_HEADER,
  type SignatureHeaders,
  type SignedRequests,
  type SignedRoute,
  TIMESTAMP_HEADER,
} from '../../auth/signed-request.js'
import { failure, type Outcome } from '../../domain/failure.js'
import { parseInvoiceRequest, REFERENCE_LENGTH_MAX } from '../../domain/invoice.js'
import { truncate, wellFormed } from '../../domain/text.js'
import type { InvoiceWithPayment, Page, PageOf, Store } from '../../store/store.js'
import { readJsonObject } from '../body.js'
import { failureAnswer, jsonAnswer } from '../failure-response.js'
import { listAnswer } from '../json-list.js'
import { type ListQuery, readListQuery } from '../list-query.js'
import type { Route } from '../router.js'
import type { Answer, Request } from '../server.js'

/** The tag that is signed is a literal of its own and not derived from the URL that was called (specification). */
const CREATE_INVOICE: SignedRoute = { routeTag: 'POST /api/invoices', permission: 'invoices:create' }

export interface InvoiceRoutesParts {
  readonly store: Store
  readonly directory: WalletDirectory
  readonly signedRequests: SignedRequests
}

/** `POST /api/invoices`, `GET /api/invoices/:id`, `GET /api/users/:id/invoices`. */
export function invoiceRoutes(parts: InvoiceRoutesParts): readonly Route[] {
  return [
    { method: 'POST', pattern: '/api/invoices', handle: (request) => create(parts, request) },
    {
      method: 'GET',
      pattern: '/api/invoices/:id',
      handle: (_request, params) => show(parts.store, params['id'] ?? ''),
    },
    {
      method: 'GET',
      pattern: '/api/users/:id/invoices',
      handle: (request, params) => list(parts.store, params['id'] ?? '', request),
    },
  ]
}

async function create(parts: InvoiceRoutesParts, request: Request): Promise<Answer> {
  const headers: SignatureHeaders = {
    apiKey: request.header(API_KEY_HEADER),
    timestamp: request.header(TIMESTAMP_HEADER),
    signature: request.header(SIGNATURE_HEADER),
  }
  let signer: string | null = null
  if (isSigned(headers)) {
    const key = await parts.signedRequests.authenticate(headers, request.body, CREATE_INVOICE)
    if (!key.ok) return failureAnswer(key.failure)
    signer = key.value.owner
  }
  const body = readJsonObject(request.body)
  if (!body.ok) return failureAnswer(body.failure)
  const wanted = parseInvoiceRequest(body.value, signer ?? body.value['owner'])
  if (!wanted.ok) return failureAnswer(wanted.failure)
  const created = await parts.directory.createInvoice(wanted.value)
  if (!created.ok) return failureAnswer(created.failure)
  const { id } = created.value
  return jsonAnswer(201, { id, url: `/pay/${id}` }, { Location: `/api/invoices/${id}` })
}

function show(store: Store, id: string): Answer | Promise<Answer> {
  const found = store.invoiceWithPayment(id)
  return found instanceof Promise ? found.then(showAnswer) : showAnswer(found)
}

function showAnswer(found: InvoiceWithPayment | undefined): Answer {
  if (found === undefined) return failureAnswer(failure('invoice_not_found'))
  return jsonAnswer(200, withPayment(found))
}

function withPayment({ invoice, payment }: InvoiceWithPayment): unknown {
  return { ...invoice, payment }
}

async function list(store: Store, owner: string, request: Request): Promise<Answer> {
  const query = readInvoiceQuery(request.query)
  if (!query.ok) return failureAnswer(query.failure)
  const { limit, cursor, hasPayment, reference } = query.value
  if (reference !== null) return jsonAnswer(200, await withReference(store, owner, reference, hasPayment))
  const read = async (page: Page): Promise<PageOf<unknown>> => {
    if (!hasPayment) return store.invoices(owner, page)
    const { items, next } = await store.invoicesWithPayment(owner, page)
    return { items: items.map(withPayment), next }
  }
  if (limit === null) return listAnswer(read, cursor)
  const page = await read({ after: cursor, limit })
  return jsonAnswer(200, page.items, nextLink(owner, limit, page.next, hasPayment))
}

/** A reference is unique, so at most one invoice has it; it is compared as it was stored, truncated. */
async function withReference(
  store: Store,
  owner: string,
  reference: string,
  hasPayment: boolean,
): Promise<readonly unknown[]> {
  const invoice = await store.invoiceByReference(truncate(wellFormed(reference), REFERENCE_LENGTH_MAX))
  if (invoice === undefined || invoice.owner !== owner) return []
  if (!hasPayment) return [invoice]
  const found = await store.invoiceWithPayment(invoice.id)
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
    return { ok: false, failure: failure('invalid_query', { parameter: 'include' }) }
  }
  const reference = list.value.parameters.get('reference')
  return { ok: true, value: { ...list.value, hasPayment: include === 'payment', reference } }
}

/** RFC 8288, a relative reference. */
function nextLink(owner: string, limit: number, next: string | null, hasPayment: boolean): Record<string, string> {
  if (next === null) return {}
  const query = `limit=${limit}&cursor=${next}${hasPayment ? '&include=payment' : ''}`
  return { Link: `</api/users/${encodeURIComponent(owner)}/invoices?${query}>; rel="next"` }
}
