import type { IdempotentRequest } from '../../domain/idempotency.js'
import { walletsOfRequest } from '../../domain/order.js'
import type { InvoiceCommand, InvoiceResult, OrderCommand, OrderResult } from '../commands.js'
import type { Awaitable } from '../reading.js'
import { type Asking, ask } from './asking.js'
import { answerUnowned, type EarlierRequest } from './create-invoice.js'
import { answerUnownedOrder, type EarlierOrder } from './create-order.js'

/** What the answer to a creation that takes no turn needs of an engine. */
export interface UnownedWork {
  /** The first of some wallets that is not the owner's. */
  unownedOf(owner: string, walletIds: readonly string[]): Awaitable<string | undefined>
  /** The request under the same idempotency key, unless the key has expired. */
  earlier(request: IdempotentRequest): Awaitable<EarlierRequest | undefined>
  /** The same for the creation of an order. */
  earlierOrder(request: IdempotentRequest): Awaitable<EarlierOrder | undefined>
}

/**
 * Answers the creation of an invoice of which a wallet is not its owner's, so that it takes no turn: with what was created under its
 * idempotency key, or with the refusal. Null when all are its owner's.
 */
export function* answerUnownedCreation(
  work: UnownedWork,
  { request, terms }: InvoiceCommand,
): Asking<InvoiceResult | null> {
  const wallet = yield* ask(work.unownedOf(request.owner, request.walletIds))
  if (wallet === undefined) return null
  const idempotency = terms?.idempotency
  const earlier = idempotency === undefined ? undefined : yield* ask(work.earlier(idempotency))
  return answerUnowned({ wallet, reason: 'not_assigned' }, earlier)
}

/** The same for an order, by the wallets of all of its options. */
export function* answerUnownedOrderCreation(
  work: UnownedWork,
  { request, terms }: OrderCommand,
): Asking<OrderResult | null> {
  const wallet = yield* ask(work.unownedOf(request.owner, walletsOfRequest(request)))
  if (wallet === undefined) return null
  const idempotency = terms?.idempotency
  const earlier = idempotency === undefined ? undefined : yield* ask(work.earlierOrder(idempotency))
  return answerUnownedOrder({ wallet, reason: 'not_assigned' }, earlier)
}
