import type { WalletDirectory } from '../../actors/wallet-directory.js'
import type { Signer } from '../../auth/signed-request.js'
import { failure } from '../../domain/failure.js'
import { parseOrderRequest, storedOrderReference } from '../../domain/order.js'
import { storedOrderNumber } from '../../domain/order-fields.js'
import { ORDER_STATUSES, orderState } from '../../domain/order-share.js'
import { rateOfOption } from '../../domain/order-value.js'
import { percentText } from '../../domain/spread.js'
import type { OrderRecord } from '../../listing/orders.js'
import type { OrderResult } from '../../store/commands.js'
import type { OrderPort, OrderWithOptions } from '../../store/orders.js'
import type { Page } from '../../store/reading.js'
import { end } from '../ending.js'
import { handlers } from '../endpoints.js'
import { type Charge, REQUEST_MS } from '../guards/rate-limiter.js'
import { InProgress, readIdempotency } from '../idempotency.js'
import { FILTERED_LIMIT, wantedPage } from '../invoice-filters.js'
import { failureAnswer, jsonAnswer, jsonTextAnswer, readJsonObject } from '../json.js'
import { readListQuery, refuseParameter } from '../list-query.js'
import { type Lists, linkOf } from '../lists.js'
import { type QuoteParts, quotesFor } from '../order-quotes.js'
import type { Answer, Request } from '../server.js'
import { termsOf } from '../signed-creation.js'

export interface OrderParts extends QuoteParts {
  readonly orders: OrderPort
  readonly directory: Pick<WalletDirectory, 'createOrder' | 'voidOrder' | 'acceptOrder'>
  readonly lists: Pick<Lists, 'admit' | 'charged'>
  /** Charges a client for what its request has cost. */
  readonly charge: Charge
  /** The path of the public URL, without a final slash. Location and Link begin with it. */
  readonly basePath: string
  /** The lifetime of an order whose request does not set one. */
  readonly defaultExpirySeconds: number
}

/** Tag of the creation, which its idempotency keys belong to. */
const CREATE = 'POST /api/orders'

export function orderHandlers(parts: OrderParts) {
  const inProgress = new InProgress()
  return handlers({
    [CREATE]: (request, _params, signer) => create(parts, inProgress, request, signer),
    // The sums of many wallets take milliseconds: clients have theirs in turn, and are charged for them.
    'GET /api/orders/:id': (request, { id }) =>
      parts.lists.charged(request, async (run) => showAnswer(await run(() => parts.orders.findWithOptions(id)))),
    'POST /api/orders/:id/void': (request, { id }, signer, trace) =>
      end(request, signer, trace, (owner, terms) => parts.directory.voidOrder(id, owner, terms), shownOrder),
    'POST /api/orders/:id/accept': (request, { id }, signer, trace) =>
      end(request, signer, trace, (owner, terms) => parts.directory.acceptOrder(id, owner, terms), shownOrder),
    'GET /api/users/:id/orders': (request, { id }) => list(parts, id, request),
  })
}

async function create(
  parts: OrderParts,
  inProgress: InProgress,
  request: Request,
  signer: Signer | null,
): Promise<Answer> {
  const { directory, basePath, charge, defaultExpirySeconds, networks } = parts
  const body = readJsonObject(request.body)
  if (!body.ok) return failureAnswer(body.failure)
  const parsed = parseOrderRequest(body.value, signer?.key.owner ?? body.value['owner'], {
    currencies: networks.currencies,
    defaultExpirySeconds,
  })
  if (!parsed.ok) return failureAnswer(parsed.failure)
  const wanted = parsed.value
  // As many requests as it makes invoices; it is one already.
  charge(request, (wanted.options.length - 1) * REQUEST_MS)
  const terms = termsOf(signer, wanted.reference, request.body)
  const header = request.header('idempotency-key')
  if (header === undefined) {
    const quotes = await quotesFor(parts, wanted)
    return createdAnswer(await directory.createOrder({ request: wanted, quotes, terms }), basePath)
  }
  const idempotency = readIdempotency(header, signer?.key ?? null, wanted.owner, request.body, CREATE)
  if (!idempotency.ok) return failureAnswer(idempotency.failure)
  const result = await inProgress.run(idempotency.value.scope, async () => {
    const quotes = await quotesFor(parts, wanted)
    return directory.createOrder({ request: wanted, quotes, terms: { ...terms, idempotency: idempotency.value } })
  })
  return result === null ? failureAnswer(failure('idempotency_in_progress')) : createdAnswer(result, basePath)
}

function createdAnswer({ outcome, isReplay }: OrderResult, basePath: string): Answer {
  if (!outcome.ok) return failureAnswer(outcome.failure)
  const { order, invoices } = outcome.value
  const headers: Record<string, string> = { Location: `${basePath}/api/orders/${order.id}` }
  if (isReplay) headers['Idempotency-Replayed'] = 'true'
  const body = {
    id: order.id,
    url: `/order/${order.id}`,
    expires_at: order.expiresAt,
    invoices: invoices.map(({ id, amount, currency }, i) => ({
      id,
      url: `/pay/${id}`,
      amount,
      currency,
      rate: rateOf(order, i).rate,
    })),
  }
  return jsonAnswer(201, body, headers)
}

function showAnswer(found: OrderWithOptions | undefined): Answer {
  return found === undefined ? failureAnswer(failure('order_not_found')) : jsonAnswer(200, shownOrder(found))
}

/** An order as clients see it: what it is, and what has come for it. */
export function shownOrder({ order, invoices, readAt }: OrderWithOptions): OrderRecord {
  const { status, voidedAt, paidFraction, remaining } = orderState(order, invoices, readAt)
  return {
    id: order.id,
    owner: order.owner,
    price: order.price,
    name: order.name,
    description: order.description,
    reference: order.reference,
    orderNumber: order.fields.orderNumber,
    metadata: order.fields.metadata,
    returnUrl: order.fields.returnUrl,
    created_at: order.createdAt,
    expires_at: order.expiresAt,
    voided_at: voidedAt,
    accepted_at: order.acceptedAt,
    status,
    paid_fraction: paidFraction,
    options: invoices.map(({ invoice, payment, voidedAt: optionVoidedAt }, i) => ({
      invoice,
      payment,
      ...rateOf(order, i),
      remaining: remaining[i] ?? '0',
      voided_at: optionVoidedAt,
    })),
  }
}

/** By what an option was converted: 1 in the currency of the price, and nothing for an amount that the shop fixed. */
function rateOf({ options }: OrderWithOptions['order'], i: number) {
  const option = options[i] ?? { rate: null, isFixed: true }
  const { rate } = option
  return {
    rate: rateOfOption(option),
    rateAt: rate?.at ?? null,
    spread: rate === null ? null : percentText(rate.spread),
  }
}

/** What a filter leaves out is not read past without end: every answer looks at a bounded number of orders. */
async function list({ orders, lists, basePath }: OrderParts, owner: string, request: Request): Promise<Answer> {
  const parameters = new URLSearchParams(request.query)
  const query = readListQuery(parameters)
  if (!query.ok) return failureAnswer(query.failure)
  const status = parameters.get('status')
  if (status !== null && !ORDER_STATUSES.some((one) => one === status)) {
    return failureAnswer(refuseParameter('status').failure)
  }
  const asked = parameters.get('orderNumber')
  const orderNumber = asked === null ? null : storedOrderNumber(asked)
  const isWanted = (found: OrderWithOptions) =>
    (status === null || orderState(found.order, found.invoices, found.readAt).status === status) &&
    (orderNumber === null || found.order.fields.orderNumber === orderNumber)
  const reference = parameters.get('reference')
  if (reference !== null) {
    const found = await orders.findByReference(storedOrderReference(reference))
    const isOne = found !== undefined && found.order.owner === owner && isWanted(found)
    return jsonAnswer(200, isOne ? [shownOrder(found)] : [])
  }
  const limit = query.value.limit ?? FILTERED_LIMIT
  const page = { after: query.value.cursor, limit }
  const read = (piece: Page) => orders.page(owner, piece, { orderNumber })
  return lists.admit(request, owner, async (work) => {
    const wanted = { isWanted, cursorOf: ({ order: { id } }: OrderWithOptions) => id }
    const { text, next } = await wantedPage((piece) => work.run(piece), read, shownOrder, wanted, page)
    const link = { path: `${basePath}/api/users/${encodeURIComponent(owner)}/orders`, query: filterText(parameters) }
    return jsonTextAnswer(200, `[${text}]`, linkOf(link, limit, next))
  })
}

/** The parameters of a filter, for the Link to the next page: each begins with `&`. */
function filterText(parameters: URLSearchParams): string {
  return ['status', 'orderNumber']
    .flatMap((name) => {
      const value = parameters.get(name)
      return value === null ? [] : [`&${name}=${encodeURIComponent(value)}`]
    })
    .join('')
}
