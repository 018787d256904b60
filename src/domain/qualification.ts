import type { Currency } from './amount.js'
import { type Invoice, walletsOf } from './invoice.js'

/** What decides whether a deposit qualifies for an invoice. */
export interface Qualification {
  /** The wallet that has its address; null while none is known. */
  readonly walletId: string | null
  /** What it was counted as. */
  readonly currency: Currency | null
  readonly receivedAt: number
}

/** Whether a deposit counts for an invoice: on one of its wallets, in its currency, received after its creation (specification). */
export function qualifies(invoice: Invoice, { walletId, currency, receivedAt }: Qualification): boolean {
  const isOnWallet = walletId !== null && walletsOf(invoice).includes(walletId)
  return isOnWallet && currency === invoice.currency && invoice.created_at < receivedAt
}
