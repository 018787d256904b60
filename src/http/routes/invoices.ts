import type { WalletDirectory } from '../../actors/wallet-directory.js'
import type { Signer } from '../../auth/signed-request.js'
import { failure } from '../../domain/failure.js'
import { parseInvoiceRequest, REFERENCE_LENGTH_MAX } from '../../domain/invoice.js'
import type { Networks } from '../../domain/network.js'
import { truncate, wellFormed } from '../../domain/text.js'
import type { InvoiceResult } from '../../store/commands.js'
import type { InvoicePort } from '../../store/invoices.js'
import type { InvoiceWithPayment, Page } from '../../store/reading.js'
import { end } from '../ending.js'
import { handlers } from '../endpoints.js'
import { InProgress, readIdempotency } from '../idempotency.js'
import {
  FILTERED_LIMIT,
  filterText,
  type InvoiceFilter,
  isWanted,
  readInvoiceFilter,
  wantedBy,
  wantedPage,
} from '../invoice-filters.js'
import { failureAnswer, jsonAnswer, jsonTextAnswer, readJsonObject } from '../json.js'
import { type ListQuery, readListQuery, refuseParameter } from '../list-query.js'
import { type Lists, linkOf, type PagedList } from '../lists.js'
import type { Answer, Request } from '../server.js'
import { termsOf } from '../signed-creation.js'

export interface InvoiceParts {
  readonly invoices: InvoicePort
  readonly directory: WalletDirectory
  readonly lists: Lists
  /** The path of the public URL, without a final slash. Location and Link begin with it. */
  readonly basePath: string
  /** The lifetime of an invoice whose request does not set one; null for no end. */
  readonly defaultExpirySeconds: number | null
  readonly networks: Pick<Networks, 'currencies' | 'knownCurrencies'>
}

export function invoiceHandlers(parts: InvoiceParts) {
  const inProgress = new InProgress()
  return handlers({
    'POST /api/invoices': (request, _params, signer) => create(parts, inProgress, request, signer),
    'GET /api/invoices/:id': (_request, { id }) => show(parts.invoices, id),
    'POST /api/invoices/:id/void': (request, { id }, signer, trace) =>
      end(request, signer, trace, (owner, terms) => parts.directory.voidInvoice(id, owner, terms), withPayment),
    'POST /api/invoices/:id/accept': (request, { id }, signer, trace) =>
      end(request, signer, trace, (owner, terms) => parts.directory.acceptInvoice(id, owner, terms), withPayment),
    'GET /api/users/:id/invoices': (request, { id }) => list(parts, id, request),
  })
}

async function create(
  { directory, basePath, defaultExpirySeconds, networks: { currencies } }: InvoiceParts,
  inProgress: InProgress,
  request: Request,
  signer: Signer | null,
): Promise<Answer> {
  const body = readJsonObject(request.body)
  if (!body.ok) return failureAnswer(body.failure)
  const owner = signer?.key.owner ?? body.value['owner']
  const wanted = parseInvoiceRequest(body.value, owner, { currencies, defaultExpirySeconds })
  if (!wanted.ok) return failureAnswer(wanted.failure)
  const terms = termsOf(signer, wanted.value.reference, request.body)
  const header = request.header('idempotency-key')
  if (header === undefined) return createdAnswer(await directory.createInvoice(wanted.value, terms), basePath)
  const idempotency = readIdempotency(
    header,
    signer?.key ?? null,
    wanted.value.owner,
    request.body,
    'POST /api/invoices',
  )
  if (!idempotency.ok) return failureAnswer(idempotency.failure)
  const result = await inProgress.run(idempotency.value.scope, () =>
    directory.createInvoice(wanted.value, { ...terms, idempotency: idempotency.value }),
  )
  return result === null ? failureAnswer(failure('idempotency_in_progress')) : createdAnswer(result, basePath)
}

function createdAnswer({ outcome, expiresAt, isReplay }: InvoiceResult, basePath: string): Answer {
  if (!outcome.ok) return failureAnswer(outcome.failure)
  const { id } = outcome.value
  // The body has the specified fields only. What else there is to know of a new invoice stands in headers.
  const headers: Record<string, string> = { Location: `${basePath}/api/invoices/${id}` }
  if (expiresAt !== null) headers['Invoice-Expires-At'] = String(expiresAt)
  if (isReplay) headers['Idempotency-Replayed'] = 'true'
  return jsonTextAnswer(201, `{"id":"${id}","url":"/pay/${id}"}`, headers)
}

function show(invoices: InvoicePort, id: string): Answer | Promise<Answer> {
  const found = invoices.findWithPayment(id)
  return found instanceof Promise ? found.then((read) => showAnswer(invoices, read)) : showAnswer(invoices, found)
}

/** Answers by what the store returned and keeps. An entry of this map costs more than the rest of an answer that is given once. */
const shown = new WeakMap<InvoiceWithPayment, Answer>()

function showAnswer(invoices: InvoicePort, found: InvoiceWithPayment | undefined): Answer {
  if (found === undefined) return failureAnswer(failure('invoice_not_found'))
  let answer = shown.get(found)
  if (answer === undefined) {
    answer = jsonAnswer(200, withPayment(found))
    if (invoices.isKept(found.invoice.id)) shown.set(found, answer)
  }
  return answer
}

/**
 * The record, its payment and its end (decisions 4). Field by field: a spread takes three times as long, mostly in
 * JSON.stringify.
 */
export function withPayment({ invoice, order, payment, voidedAt, acceptedAt, expiresAt }: InvoiceWithPayment) {
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
    accepted_at: acceptedAt,
    expires_at: expiresAt,
    returnUrl: order.returnUrl,
    orderNumber: order.orderNumber,
    metadata: order.metadata,
  }
}

async function list(
  { invoices, lists, basePath, networks }: InvoiceParts,
  owner: string,
  request: Request,
): Promise<Answer> {
  const parameters = new URLSearchParams(request.query)
  const query = readListQuery(parameters)
  if (!query.ok) return failureAnswer(query.failure)
  const include = parameters.get('include')
  if (include !== null && include !== 'payment') return failureAnswer(refuseParameter('include').failure)
  const hasPayment = include !== null
  const filter = readInvoiceFilter(parameters, networks.knownCurrencies)
  if (!filter.ok) return failureAnswer(filter.failure)
  const reference = parameters.get('reference')
  if (reference !== null)
    return jsonAnswer(200, await withReference(invoices, owner, reference, filter.value, hasPayment))
  const orderNumber = filter.value?.orderNumber ?? null
  const common = {
    owner,
    path: `${basePath}/api/users/${encodeURIComponent(owner)}/invoices`,
    query: `${hasPayment ? '&include=payment' : ''}${filterText(parameters)}`,
    nextOf: (page: Page) => invoices.nextOf(owner, page, orderNumber),
  }
  const paid = {
    ...common,
    read: (page: Page) => invoices.pageWithPayment(owner, page, orderNumber),
    show: withPayment,
  }
  if (filter.value !== null) {
    const show = hasPayment ? withPayment : ({ invoice }: InvoiceWithPayment) => invoice
    return filtered(lists, request, { ...paid, show }, filter.value, query.value)
  }
  if (hasPayment) return lists.answerPage(request, paid, query.value)
  return lists.answerPage(request, { ...common, read: (page) => invoices.page(owner, page) }, query.value)
}

/** What a filter leaves out is not streamed past: every answer looks at a bounded number of invoices. */
function filtered(
  lists: Lists,
  request: Request,
  list: Required<PagedList<InvoiceWithPayment>>,
  filter: InvoiceFilter,
  { limit, cursor }: ListQuery,
): Promise<Answer> {
  const most = limit ?? FILTERED_LIMIT
  return lists.admit(request, list.owner, async (work) => {
    const page = { after: cursor, limit: most }
    const { text, next } = await wantedPage((piece) => work.run(piece), list.read, list.show, wantedBy(filter), page)
    return jsonTextAnswer(200, `[${text}]`, linkOf(list, most, next))
  })
}

/** At most one invoice, because references are unique. The reference is compared as stored, truncated. */
async function withReference(
  invoices: InvoicePort,
  owner: string,
  reference: string,
  filter: InvoiceFilter | null,
  hasPayment: boolean,
): Promise<readonly unknown[]> {
  const invoice = await invoices.findByReference(truncate(wellFormed(reference), REFERENCE_LENGTH_MAX))
  if (invoice === undefined || invoice.owner !== owner) return []
  if (!hasPayment && filter === null) return [invoice]
  const found = await invoices.findWithPayment(invoice.id)
  if (found === undefined || (filter !== null && !isWanted(found, filter))) return []
  return [hasPayment ? withPayment(found) : invoice]
}
