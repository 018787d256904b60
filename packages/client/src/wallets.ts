import type { Invoice } from './api-types.js'

/**
 * The wallets of an invoice, whose record has them joined by commas, or only the first one.
 *
 * @example
 * ```js
 * import { walletIdsOf } from '@billhook/client'
 *
 * const record = await billhook.getInvoice(invoice.id)
 * console.log(walletIdsOf(record).includes(walletId)) // true
 * ```
 */
export function walletIdsOf({ wallet_id, wallet_ids }: Pick<Invoice, 'wallet_id' | 'wallet_ids'>): readonly string[] {
  return wallet_ids === null || wallet_ids === '' ? [wallet_id] : wallet_ids.split(',')
}
