import { type Order, type OrderDraft, walletIdsOf } from '@billhook/client'
import type { Recorded } from '../invoices/suspicion.js'

type Priced = Pick<Order, 'owner' | 'price'> & {
  readonly options: readonly {
    readonly invoice: Pick<Order['options'][number]['invoice'], 'wallet_id' | 'wallet_ids' | 'currency'>
  }[]
}

/** What a draft of an owner asks for. What its options cost is the service's to say. */
export function orderAsked({ price, options }: OrderDraft, owner: string): Recorded {
  return { owner, amount: price.amount, currency: price.currency, options: wordsFor(options) }
}

/** The same of an order. */
export function orderRecorded({ owner, price, options }: Priced): Recorded {
  const ways = options.map(({ invoice }) => ({ walletIds: walletIdsOf(invoice), currency: invoice.currency }))
  return { owner, amount: price.amount, currency: price.currency, options: wordsFor(ways) }
}

function wordsFor(
  options: readonly { readonly walletIds: readonly string[]; readonly currency?: string | null | undefined }[],
): string {
  return options.map(({ walletIds, currency }) => `${walletIds.join(', ')} (${currency ?? 'native'})`).join(', ')
}
