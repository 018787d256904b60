import { type Failure, failure } from './failure.js'
import type { InvoiceRequest } from './invoice.js'

/** Maximum number of sets of wallets that may contain one wallet at a time (decisions 6). */
export const WALLET_SETS_MAX = 64

/**
 * The facts on which the decision about a new invoice depends, read in the transaction that creates it. Each is read
 * only if the checks before it passed. An invoice counts while it is unpaid, not void, and of the wallet's present
 * owner.
 */
export interface InvoiceFacts {
  /** Whether every wallet is known, has an address and belongs to the owner. */
  areWalletsOwned(): boolean
  isReferenceTaken(): boolean
  /** Whether an invoice of equal amount and currency counts on one of the wallets. */
  isAmountTaken(): boolean
  /** Whether an invoice of the currency counts on one of the wallets; always false if invoices may share wallets. */
  isWalletTaken(): boolean
  /** Whether the invoice's set of wallets would be one too many on one of the wallets. */
  areSetsExhausted(): boolean
  /** Whether this signed request has already created an invoice. */
  isRepeated(): boolean
}

/**
 * Returns why an invoice may not be created, or null if it may. The order of the checks (ownership, callbackUrl,
 * reference, amount) is specified (decisions 4).
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
  // Last, so that an honest repetition gets the more helpful error about the invoice that it created the first time.
  if (facts.isRepeated()) return failure('request_repeated')
  return null
}
