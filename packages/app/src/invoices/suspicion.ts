import { type InvoiceDraft, type InvoiceWithPayment, walletIdsOf } from '@billhook/client'
import type { KnownWallet } from '../wallets/known-wallets.js'

/** What is wrong with an invoice that the service shows. */
export type Suspicion =
  /** A wallet that is not one of the owner's. */
  | { readonly kind: 'foreign'; readonly wallet: string }
  /** A wallet whose address is not the one that this browser saw first. */
  | { readonly kind: 'address'; readonly wallet: string; readonly first: string; readonly now: string }
  /** Something else than was asked for. */
  | { readonly kind: 'draft'; readonly field: string; readonly asked: string; readonly recorded: string }

type Recorded = Pick<InvoiceWithPayment, 'owner' | 'wallet_id' | 'wallet_ids' | 'amount' | 'currency'>

/** What of the wallets that an invoice pays to is not as this browser knows it. */
export function suspicionsOf(invoice: Recorded, known: ReadonlyMap<string, KnownWallet>): readonly Suspicion[] {
  return walletIdsOf(invoice).flatMap((wallet): Suspicion[] => {
    const found = known.get(wallet)
    if (found === undefined) return [{ kind: 'foreign', wallet }]
    const { first, address } = found
    return first === null || address === null || address === first
      ? []
      : [{ kind: 'address', wallet, first, now: address }]
  })
}

/** Where the record of a new invoice differs from what was asked for. */
export function differences(draft: InvoiceDraft, owner: string, invoice: Recorded): readonly Suspicion[] {
  const asked = {
    owner,
    amount: draft.amount,
    currency: draft.currency ?? 'native',
    walletIds: draft.walletIds.join(', '),
  }
  const { amount, currency } = invoice
  const recorded = { owner: invoice.owner, amount, currency, walletIds: walletIdsOf(invoice).join(', ') }
  return recordDifferences(asked, recorded)
}

/** The fields whose recorded text is not the one that was asked for. */
export function recordDifferences<Field extends string>(
  asked: Readonly<Record<Field, string>>,
  recorded: Readonly<Record<Field, string>>,
): readonly Suspicion[] {
  return (Object.keys(asked) as Field[])
    .filter((field) => asked[field] !== recorded[field])
    .map((field) => ({ kind: 'draft', field, asked: asked[field], recorded: recorded[field] }))
}
