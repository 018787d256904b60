import { type Invoice, walletIdsOf } from '@billhook/client'
import type { Desk } from '../desk/desk.js'
import { coinName, networkOf } from '../wallets/coins.js'

/** The name of an invoice's coin: that of the networks of its wallets. */
export function coinOf(desk: Desk, invoice: Pick<Invoice, 'wallet_id' | 'wallet_ids' | 'currency'>): string {
  const wallets = desk.wallets.list.value ?? []
  const networks = walletIdsOf(invoice).map((id) => {
    const wallet = wallets.find((known) => known.id === id)
    return wallet === undefined ? undefined : networkOf(desk.info, wallet.network)
  })
  return coinName(invoice.currency, networks)
}

export function amountOf(desk: Desk, invoice: Invoice): string {
  return `${invoice.amount} ${coinOf(desk, invoice)}`
}
