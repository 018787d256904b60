import type { ApiKey } from '../../../domain/api-key.js'
import type { IdempotentRequest, SignedCreation } from '../../../domain/idempotency.js'
import type { InvoiceRequest, InvoiceTerms } from '../../../domain/invoice.js'
import type { Order } from '../../../domain/order.js'
import { RAISE_EXAMINED_MAX } from '../../../domain/order-price.js'
import type { CreatedOrder, OrderCommand, OrderResult } from '../../commands.js'
import { answeredNow } from '../../rules/asking.js'
import type { CreationWork } from '../../rules/create-invoice.js'
import { createOrder, type EarlierOrder, type OrderCreationWork } from '../../rules/create-order.js'
import { optionTerms } from '../../rules/creation-facts.js'
import { reviewOrder } from '../../rules/order-life.js'
import { findEarlier, isRepeatedCreation, rememberCreation, rememberRequest } from '../commands/idempotency.js'
import type { Commit, Reader } from '../commit/commit.js'
import { Examination, optionCreation } from '../invoices/create-invoice.js'
import { findInvoice, invoiceRow } from '../invoices/invoice-rows.js'
import { findById } from '../keys/api-keys.js'
import type { InvoiceId } from '../tables/keys.js'
import { enterOrder, orderRow } from './order-rows.js'
import { orderWorkOn } from './order-work.js'

/** Creates an order, in LMDB. */
export function createOrderIn(commit: Commit, command: OrderCommand, terms: InvoiceTerms): OrderResult {
  const { result, toReview } = createOrder(new LmdbOrderCreation(commit, terms), command)
  if (toReview !== null) answeredNow(reviewOrder(orderWorkOn(commit), toReview, null))
  return result
}

/** The order that was created under the same idempotency key. */
export function findEarlierOrder(at: Reader, request: IdempotentRequest): EarlierOrder | undefined {
  const earlier = findEarlier(at, request)
  if (earlier === undefined || !earlier.isSameBody) return earlier
  const orderId = findInvoice(at, earlier.invoice.id)?.orderId ?? null
  if (orderId === null) throw new Error('an order was created without its invoices')
  const order = orderRow(at, orderId)
  const invoices = order.options.map(({ invoiceId }) => invoiceRow(at, idOf(invoiceId)).invoice)
  return { isSameBody: true, created: { order, invoices } }
}

class LmdbOrderCreation implements OrderCreationWork {
  private readonly examination = new Examination(RAISE_EXAMINED_MAX)
  private readonly terms: InvoiceTerms

  constructor(
    private readonly commit: Commit,
    terms: InvoiceTerms,
  ) {
    this.terms = optionTerms(terms)
  }

  get nowMs(): number {
    return this.commit.nowMs
  }

  key(id: string): ApiKey | undefined {
    return findById(this.commit, id)
  }

  earlier(request: IdempotentRequest): EarlierOrder | undefined {
    return findEarlierOrder(this.commit, request)
  }

  isRepeated(signed: SignedCreation): boolean {
    return isRepeatedCreation(this.commit, signed)
  }

  option(request: InvoiceRequest, alongside: readonly (readonly string[])[]): CreationWork {
    return optionCreation(this.commit, request, this.terms, { alongside, examination: this.examination })
  }

  newId(): string {
    return this.commit.newId().toString('hex')
  }

  enter(order: Order): void {
    enterOrder(this.commit, order)
  }

  log(type: 'order.created', order: Order): void {
    orderWorkOn(this.commit).log(type, order, null)
  }

  rememberCreation(signed: SignedCreation): void {
    rememberCreation(this.commit, signed)
  }

  /** Its first invoice leads to the order. */
  rememberRequest(request: IdempotentRequest, { order }: CreatedOrder): void {
    const [first] = order.options
    if (first === undefined) throw new Error('an order has no options')
    rememberRequest(this.commit, request, idOf(first.invoiceId))
  }
}

function idOf(invoiceId: string): InvoiceId {
  return Buffer.from(invoiceId, 'hex') as InvoiceId
}
