import { type Failure, failure } from './failure.js'
import type { InvoiceRequest } from './invoice.js'
import { isPaid } from './payment.js'

/** An earlier invoice of equal amount and currency on a wallet of the request. */
export interface Rival {
  /** Confirmed atoms that it received. */
  readonly received: bigint
}

/** What the decision about a new invoice depends on, read in the transaction that creates it. */
export interface InvoiceFacts {
  /** Whether every wallet is known and belongs to the owner. */
  readonly areWalletsOwned: boolean
  readonly isReferenceTaken: boolean
  readonly rivals: readonly Rival[]
}

/**
 * Decides whether the invoice may be created: null, or why not. The order of the checks (ownership, callbackUrl,
 * reference, amount) is behaviour (decisions 4). An unpaid rival blocks the amount; a paid one does not.
 */
export function refuseInvoice(request: InvoiceRequest, facts: InvoiceFacts): Failure | null {
  if (!facts.areWalletsOwned) return failure('wallet_not_owned')
  if (!request.isCallbackUrlValid) return failure('invalid_callback_url')
  if (facts.isReferenceTaken) return failure('reference_in_use')
  if (facts.rivals.some((rival) => !isPaid(request.amount, rival.received))) {
    return failure('amount_in_use', { amount: request.amountText, currency: request.currency })
  }
  return null
}

/** An invoice as the open-amount index sees it: whom it shares an amount with, and what its payments depend on. */
export interface Contender {
  readonly createdAt: number
  /** Numbers or ids of its wallets. */
  readonly wallets: ReadonlySet<number | string>
}

/**
 * Whether `later` makes `earlier` superfluous in the open-amount index, for ever: both ask the same amount, and every
 * deposit that counts for `later` counts for `earlier` too, because it was created no later and is payable to all the
 * wallets of `later`. So whenever `later` is paid, `earlier` is paid, whatever is deposited or dropped afterwards, and
 * asking `later` alone decides whether the amount is free.
 */
export function supersedes(later: Contender, earlier: Contender): boolean {
  if (earlier.createdAt > later.createdAt) return false
  for (const wallet of later.wallets) {
    if (!earlier.wallets.has(wallet)) return false
  }
  return true
}
