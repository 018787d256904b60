import { type ApiKey, refusalOf } from '../../domain/api-key.js'
import { detailedFailure, type Failure, failure, succeed } from '../../domain/failure.js'
import type { IdempotentRequest, SignedCreation } from '../../domain/idempotency.js'
import {
  expiresAtOf,
  type Invoice,
  type InvoiceRequest,
  newInvoice,
  type UnusableWallet,
} from '../../domain/invoice.js'
import { type Order, type OrderRequest, optionReference } from '../../domain/order.js'
import { type Quote, raisedAmounts, raiseSteps } from '../../domain/order-price.js'
import { isPaid } from '../../domain/payment.js'
import { type CreatedOrder, NO_TERMS, type OrderCommand, type OrderResult } from '../commands.js'
import type { CreationWork } from './create-invoice.js'

/** The request that created an order under the same idempotency key. */
export type EarlierOrder =
  | { readonly isSameBody: true; readonly created: CreatedOrder }
  /** It was another one. */
  | { readonly isSameBody: false }

/** What the creation of an order needs of an engine. Its facts are at hand, like those of an invoice. */
export interface OrderCreationWork {
  /** Unix ms. */
  readonly nowMs: number
  key(id: string): ApiKey | undefined
  /** The request under the same idempotency key, unless the key has expired. */
  earlier(request: IdempotentRequest): EarlierOrder | undefined
  /** Whether this signed request has already created an order. */
  isRepeated(signed: SignedCreation): boolean
  /** The creation of one of its invoices, in an order that has others: `alongside` are the wallets of those before it. */
  option(request: InvoiceRequest, alongside: readonly (readonly string[])[]): CreationWork
  /** A new id of this time: 32 hex characters. */
  newId(): string
  /** Enters an order whose invoices have been entered. */
  enter(order: Order): void
  log(type: 'order.created', order: Order): void
  rememberCreation(signed: SignedCreation): void
  rememberRequest(request: IdempotentRequest, created: CreatedOrder): void
}

/** The answer to a creation, and the order whose wallets have received what is dated ahead: it is to be reviewed when it is written. */
export interface OrderCreation {
  readonly result: OrderResult
  readonly toReview: string | null
}

/** The request for the invoice of an option, and what it costs. */
export interface OptionRequest {
  readonly request: InvoiceRequest
  readonly quote: OrderCommand['quotes'][number]
}

/** An option that has a price, with the creation of its invoice. */
interface SettledOption {
  readonly request: InvoiceRequest
  readonly quote: Quote
  readonly creation: CreationWork
}

/**
 * Creates an order with all of its invoices, or nothing. The checks are those of an invoice, in their order; each is made for all
 * options before the next one. What the price comes to is known before, as an outcome: it must not hide the answer of an idempotency key.
 */
export function createOrder(work: OrderCreationWork, command: OrderCommand): OrderCreation {
  const { request, quotes, terms: { authority, idempotency, signed } = NO_TERMS } = command
  const denied = authority === undefined ? null : refusalOf(work.key(authority.keyId), authority, work.nowMs)
  if (denied !== null) return refused(denied)
  const earlier = idempotency === undefined ? undefined : work.earlier(idempotency)
  if (earlier !== undefined) return { result: answerOfEarlierOrder(earlier), toReview: null }
  const id = work.newId()
  const settled = settleOptions(work, id, request, quotes)
  if ('code' in settled) return refused(settled)
  if (signed !== undefined && work.isRepeated(signed)) return refused(failure('request_repeated'))

  let isPaidAhead = false
  const invoices: Invoice[] = []
  for (const { request: wanted, creation } of settled) {
    const invoice = newInvoice(wanted, creation.newId(), work.nowMs)
    const ahead = creation.receivedAhead()
    const isPaidNow = isPaid(wanted.amount, ahead)
    const expiresAt = expiresAtOf(wanted, work.nowMs)
    creation.enter(invoice, { amount: wanted.amount, expiresAt, isPaid: isPaidNow, orderId: id })
    creation.log('invoice.created')
    if (isPaidNow) creation.log('invoice.paid')
    isPaidAhead ||= ahead > 0n
    invoices.push(invoice)
  }
  const created = { order: newOrder(request, id, work.nowMs, settled, invoices), invoices }
  work.enter(created.order)
  work.log('order.created', created.order)
  if (signed !== undefined) work.rememberCreation(signed)
  if (idempotency !== undefined) work.rememberRequest(idempotency, created)
  const result: OrderResult = { type: 'order', outcome: succeed(created), isReplay: false }
  return { result, toReview: isPaidAhead ? id : null }
}

/** The answer to a creation on wallets of which one is not its owner's. */
export function answerUnownedOrder(unusable: UnusableWallet, earlier: EarlierOrder | undefined): OrderResult {
  if (earlier !== undefined) return answerOfEarlierOrder(earlier)
  return refused(detailedFailure('wallet_not_owned', unusable)).result
}

function answerOfEarlierOrder(earlier: EarlierOrder): OrderResult {
  if (!earlier.isSameBody) return refused(failure('idempotency_key_reused')).result
  return { type: 'order', outcome: succeed(earlier.created), isReplay: true }
}

/** The options with amounts that are no others', or why there is no order. */
function settleOptions(
  work: OrderCreationWork,
  id: string,
  request: OrderRequest,
  quotes: OrderCommand['quotes'],
): readonly SettledOption[] | Failure {
  const alongside: (readonly string[])[] = []
  const facts = optionRequests(id, { request, quotes }).map(({ request: wanted, quote }) => {
    const creation = work.option(wanted, [...alongside])
    alongside.push(wanted.walletIds)
    return { request: wanted, quote, creation }
  })
  for (const { creation } of facts) {
    const unusable = creation.unusableWallet()
    if (unusable !== null) return detailedFailure('wallet_not_owned', unusable)
  }
  for (const { creation } of facts) {
    const supported = creation.currenciesInstead()
    if (supported !== null) return detailedFailure('unsupported_currency', { supported })
  }
  if (facts.some(({ creation }) => creation.areCoinsMixed())) return failure('mixed_native_coins')
  const settled: SettledOption[] = []
  for (const { request: one, quote, creation } of facts) {
    if (!quote.ok) return quote.failure
    settled.push({ request: one, quote: quote.value, creation })
  }
  if (!request.isCallbackUrlValid) return failure('invalid_callback_url')
  if (settled.some(({ creation }) => creation.isReferenceTaken())) return failure('reference_in_use')
  const free: SettledOption[] = []
  for (const option of settled) {
    const found = freeAmount(option, settled)
    if ('code' in found) return found
    free.push(found)
  }
  for (const { creation } of settled) {
    const taken = creation.takenWallet()
    if (taken !== null) return detailedFailure('wallet_in_use', { wallet: taken })
    const crowded = creation.crowdedWallet()
    if (crowded !== null) return detailedFailure('too_many_wallet_sets', { wallet: crowded })
  }
  return free
}

/** An option with the first amount that no unpaid invoice asks on its wallets. */
function freeAmount(option: SettledOption, all: readonly SettledOption[]): SettledOption | Failure {
  const { request, quote, creation } = option
  let wallet = creation.walletOfAmount(quote.amount)
  if (wallet === null) return option
  for (const raised of mayBeRaised(quote) ? raisedAmounts(quote, stepsOf(all)) : []) {
    const taken = creation.walletOfRaised(raised.amount)
    if (taken === null) return { ...option, request: { ...request, ...raised } }
    wallet = taken
  }
  const { currency } = request
  return detailedFailure('amount_in_use', { wallet }, { amount: quote.amountText, currency })
}

/** By how many steps each amount may be raised. */
function stepsOf(options: readonly SettledOption[]): number {
  return raiseSteps(raisedWallets(options.map(({ request, quote }) => [request, quote])))
}

/** On how many wallets the options are whose amounts may be raised. */
export function raisedWallets(options: readonly (readonly [InvoiceRequest, Quote | null])[]): number {
  return options.reduce((sum, [{ walletIds }, quote]) => sum + (mayBeRaised(quote) ? walletIds.length : 0), 0)
}

/** Whether an amount may be raised. What has no quote is no option, or creates nothing. */
export function mayBeRaised(quote: Quote | null): quote is Quote {
  return quote !== null && !quote.isFixed
}

/** The requests for the invoices of an order, as they are priced before an amount is raised. */
export function optionRequests(
  id: string,
  { request, quotes }: Pick<OrderCommand, 'request' | 'quotes'>,
): readonly OptionRequest[] {
  return request.options.map((_, i) => invoiceRequest(request, id, i, quotes[i]))
}

/** The request for the invoice of an option. Without a quote nothing is created, and its amount is none. */
function invoiceRequest(
  order: OrderRequest,
  id: string,
  i: number,
  quote: OrderCommand['quotes'][number] | undefined,
): OptionRequest {
  const option = order.options[i]
  if (option === undefined || quote === undefined) throw new Error('an order has not been priced option by option')
  const { amount, amountText } = quote.ok ? quote.value : { amount: 0n, amountText: '' }
  const request = {
    owner: order.owner,
    walletIds: option.walletIds,
    name: order.name,
    description: order.description,
    reference: optionReference({ id, reference: order.reference }, i + 1),
    amountText,
    amount,
    currency: option.currency,
    callbackUrl: order.callbackUrl,
    isCallbackUrlValid: order.isCallbackUrlValid,
    order: order.fields,
    expiresInSeconds: order.expiresInSeconds,
  }
  return { request, quote }
}

function newOrder(
  request: OrderRequest,
  id: string,
  nowMs: number,
  settled: readonly SettledOption[],
  invoices: readonly Invoice[],
): Order {
  const { owner, price, name, description, reference, fields, callbackUrl, expiresInSeconds } = request
  return {
    id,
    owner,
    price,
    name,
    description,
    reference,
    fields,
    callbackUrl,
    createdAt: nowMs,
    expiresAt: nowMs + expiresInSeconds * MS_PER_SECOND,
    voidedAt: null,
    acceptedAt: null,
    isExpiryDecided: false,
    standing: 'none',
    isLeaning: false,
    options: settled.map(({ quote: { rate, isFixed, decimals } }, i) => {
      const invoiceId = invoices[i]?.id
      if (invoiceId === undefined) throw new Error('an option of an order has no invoice')
      return { invoiceId, rate, isFixed, decimals, isVoidedByOrder: false }
    }),
  }
}

const MS_PER_SECOND = 1000

function refused(failure: Failure): OrderCreation {
  return { result: { type: 'order', outcome: { ok: false, failure }, isReplay: false }, toReview: null }
}
