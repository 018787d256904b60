import { type Failure, failure } from './failure.js'
import type { InvoiceRequest } from './invoice.js'

/** The most sets of wallets that may hold one wallet at a time (decisions 6). */
export const WALLET_SETS_MAX = 64

/**
 * What the decision about a new invoice depends on, read in the transaction that creates it. Each is asked only when the
 * checks before it passed. An invoice counts while it is unpaid, not void, and of the wallet's present owner.
 */
export interface InvoiceFacts {
  /** Whether every wallet is known, has an address and belongs to the owner. */
  areWalletsOwned(): boolean
  isReferenceTaken(): boolean
  /** Whether an invoice of equal amount and currency counts on one of the wallets. */
  isAmountTaken(): boolean
  /** Whether an invoice of the currency counts on one of the wallets, where wallets are not shared between invoices. */
  isWalletTaken(): boolean
  /** Whether the invoice's set of wallets would be one too many on one of the wallets. */
  areSetsExhausted(): boolean
  /** Whether this very signed request has created an invoice before. */
  isRepeated(): boolean
}

/**
 * Decides whether the invoice may be created: null, or why not. The order of the checks (ownership, callbackUrl,
 * reference, amount) is behaviour (decisions 4).
 */
export function refuseInvoice(request: InvoiceRequest, facts: InvoiceFacts): Failure | null {
  if (!facts.areWalletsOwned()) return failure('wallet_not_owned')
  if (!request.isCallbackUrlValid) return failure('invalid_callback_url')
  if (facts.isReferenceTaken()) return failure('reference_in_use')
  if (facts.isAmountTaken()) {
    return failure('amount_in_use', { amount: request.amountText, currency: request.currency })
  }
  if (facts.isWalletTaken()) return failure('wallet_in_use')
  if (facts.areSetsExhausted()) return failure('too_many_wallet_sets')
  // Last, so that an honest repetition hears what stands in its way: the invoice that it created the first time.
  if (facts.isRepeated()) return failure('request_repeated')
  return null
}
