import { type Invoice, type InvoiceDraft, walletIdsOf } from '@billhook/client'
import type { KnownWallet } from '../wallets/known-wallets.js'

/** What is wrong with an invoice that the service shows. */
export type Suspicion =
  /** A wallet that is not one of the owner's. */
  | { readonly kind: 'foreign'; readonly wallet: string }
  /** A wallet whose address is not the one that this browser saw first. */
  | { readonly kind: 'address'; readonly wallet: string; readonly first: string; readonly now: string }
  /** Something else than was asked for. */
  | { readonly kind: 'draft'; readonly field: string; readonly asked: string; readonly recorded: string }

type Payee = Pick<Invoice, 'wallet_id' | 'wallet_ids'>

/** What of the wallets that an invoice pays to is not as this browser knows it. */
export function suspicionsOf(invoice: Payee, known: ReadonlyMap<string, KnownWallet>): readonly Suspicion[] {
  return walletIdsOf(invoice).flatMap((wallet): Suspicion[] => {
    const found = known.get(wallet)
    if (found === undefined) return [{ kind: 'foreign', wallet }]
    const { first, address } = found
    return first === null || address === null || address === first
      ? []
      : [{ kind: 'address', wallet, first, now: address }]
  })
}

/** What matters of a request or of a record, as texts that are compared. */
export type Recorded = Readonly<Record<string, string>>

/** What a draft of an owner asks for. */
export function askedOf({ amount, currency, walletIds }: InvoiceDraft, owner: string): Recorded {
  return { owner, amount, currency: currency ?? 'native', walletIds: walletIds.join(', ') }
}

/** The same of an invoice. */
export function recordedOf(invoice: Payee & Pick<Invoice, 'owner' | 'amount' | 'currency'>): Recorded {
  const { owner, amount, currency } = invoice
  return { owner, amount, currency, walletIds: walletIdsOf(invoice).join(', ') }
}

/** Where a record is not what was asked for. */
export function differences(asked: Recorded, recorded: Recorded): readonly Suspicion[] {
  return Object.entries(asked).flatMap(([field, text]): Suspicion[] =>
    recorded[field] === text ? [] : [{ kind: 'draft', field, asked: text, recorded: recorded[field] ?? '' }],
  )
}
