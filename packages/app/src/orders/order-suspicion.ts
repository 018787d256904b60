import { type Order, type OrderDraft, walletIdsOf } from '@billhook/client'
import { recordDifferences, type Suspicion } from '../invoices/suspicion.js'

type Recorded = Pick<Order, 'owner' | 'price'> & {
  readonly options: readonly {
    readonly invoice: Pick<Order['options'][number]['invoice'], 'wallet_id' | 'wallet_ids' | 'currency'>
  }[]
}

/** Where the record of a new order differs from what was asked for. What its options cost is the service's to say. */
export function orderDifferences(draft: OrderDraft, owner: string, order: Recorded): readonly Suspicion[] {
  const asked = { owner, ...draft.price, options: wordsFor(draft.options) }
  const options = order.options.map(({ invoice }) => ({ walletIds: walletIdsOf(invoice), currency: invoice.currency }))
  return recordDifferences(asked, { owner: order.owner, ...order.price, options: wordsFor(options) })
}

function wordsFor(
  options: readonly { readonly walletIds: readonly string[]; readonly currency?: string | null | undefined }[],
): string {
  return options.map(({ walletIds, currency }) => `${walletIds.join(', ')} (${currency ?? 'native'})`).join(', ')
}
