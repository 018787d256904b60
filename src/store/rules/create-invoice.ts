import { type ApiKey, refusalOf } from '../../domain/api-key.js'
import { detailedFailure, type Failure, failure, succeed } from '../../domain/failure.js'
import type { IdempotentRequest, SignedCreation } from '../../domain/idempotency.js'
import {
  expiresAtOf,
  type Invoice,
  type InvoiceFacts,
  newInvoice,
  refuseInvoice,
  type UnusableWallet,
} from '../../domain/invoice.js'
import { isPaid } from '../../domain/payment.js'
import { type InvoiceCommand, type InvoiceResult, NO_TERMS } from '../commands.js'

/** The request that created an invoice under the same idempotency key. */
export type EarlierRequest =
  | { readonly isSameBody: true; readonly invoice: Invoice; readonly expiresAt: number | null }
  /** It was another one. */
  | { readonly isSameBody: false }

/** How a new invoice begins. */
export interface Beginning {
  /** What it asks, atoms: that of an option may be raised above what was looked at. */
  readonly amount: bigint
  /** Unix ms; null for never. */
  readonly expiresAt: number | null
  /** Whether deposits that are dated ahead have paid it already. */
  readonly isPaid: boolean
  /** The order that it is an option of; null for none. */
  readonly orderId: string | null
}

/**
 * What a creation needs of an engine. It is the most frequent command, so its facts are at hand: an engine that must wait for
 * them has read those of a batch before. What a creation enters is seen by those behind it.
 */
export interface CreationWork extends InvoiceFacts {
  /**
   * The first wallet on which an invoice of an amount stands in the way to which this one may be raised. Of `RAISE_EXAMINED_MAX` it is
   * found out whether they are unpaid; the others are taken for it.
   */
  walletOfRaised(amount: bigint): string | null
  /** Unix ms. */
  readonly nowMs: number
  key(id: string): ApiKey | undefined
  /** The request under the same idempotency key, unless the key has expired. */
  earlier(request: IdempotentRequest): EarlierRequest | undefined
  /** Confirmed deposits to the wallets of the invoice that are dated after now, in its currency, atoms. */
  receivedAhead(): bigint
  /** A new id of this time: 32 hex characters. */
  newId(): string
  /** Enters an invoice on its wallets, where no open one asks the same amount, and in the lists that name it. */
  enter(invoice: Invoice, beginning: Beginning): void
  log(type: 'invoice.created' | 'invoice.paid'): void
  rememberCreation(signed: SignedCreation): void
  rememberRequest(request: IdempotentRequest): void
}

/** Creates an invoice. The order of the checks is specified (decisions 4). */
export function createInvoice(
  work: CreationWork,
  { request, terms: { authority, idempotency, signed } = NO_TERMS }: InvoiceCommand,
): InvoiceResult {
  const denied = authority === undefined ? null : refusalOf(work.key(authority.keyId), authority, work.nowMs)
  if (denied !== null) return refused(denied)
  const earlier = idempotency === undefined ? undefined : work.earlier(idempotency)
  if (earlier !== undefined) return answerOfEarlier(earlier)
  const refusal = refuseInvoice(request, work)
  if (refusal !== null) return refused(refusal)
  const invoice = newInvoice(request, work.newId(), work.nowMs)
  const isPaidAhead = isPaid(request.amount, work.receivedAhead())
  const expiresAt = expiresAtOf(request, work.nowMs)
  work.enter(invoice, { amount: request.amount, expiresAt, isPaid: isPaidAhead, orderId: null })
  work.log('invoice.created')
  if (isPaidAhead) work.log('invoice.paid')
  if (signed !== undefined) work.rememberCreation(signed)
  if (idempotency !== undefined) work.rememberRequest(idempotency)
  return { type: 'invoice', outcome: succeed(invoice), expiresAt, isReplay: false }
}

/** The answer to a creation on wallets of which one is not its owner's. */
export function answerUnowned(unusable: UnusableWallet, earlier: EarlierRequest | undefined): InvoiceResult {
  return earlier === undefined ? refused(detailedFailure('wallet_not_owned', unusable)) : answerOfEarlier(earlier)
}

/** The answer of an idempotency key under which an invoice was created. */
function answerOfEarlier(earlier: EarlierRequest): InvoiceResult {
  if (!earlier.isSameBody) return refused(failure('idempotency_key_reused'))
  const { invoice, expiresAt } = earlier
  return { type: 'invoice', outcome: succeed(invoice), expiresAt, isReplay: true }
}

function refused(failure: Failure): InvoiceResult {
  return { type: 'invoice', outcome: { ok: false, failure }, expiresAt: null, isReplay: false }
}
