import type { Currency, InvoiceDraft } from '@billhook/client'
import type { Choice } from '../wallets/pool.js'

/** What somebody has chosen for an invoice, all of it checked. */
export interface Chosen {
  readonly name: string
  readonly amount: string
  readonly currency: Currency
  readonly wallets: readonly Choice[]
  /** Empty for none. */
  readonly orderNumber: string
  /** Null for no limit. */
  readonly expiresInSeconds: number | null
}

/** The request for it. Without a reference no webhook is sent, so it has one: `reference` is a new one. */
export function draftOf(
  { wallets, orderNumber, expiresInSeconds, ...chosen }: Chosen,
  reference: string,
): InvoiceDraft {
  return {
    ...chosen,
    walletIds: wallets.map(({ wallet }) => wallet.id),
    reference,
    ...(orderNumber === '' ? {} : { orderNumber }),
    ...(expiresInSeconds === null ? {} : { expiresInSeconds }),
  }
}
