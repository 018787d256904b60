import type { Desk } from '../desk/desk.js'
import { networkOf } from '../wallets/coins.js'

/** The name of the network of one of the shop's wallets; empty for a wallet that is not known. */
export function networkName(desk: Desk, walletId: string): string {
  const wallet = desk.wallets.list.value?.find(({ id }) => id === walletId)
  return wallet === undefined ? '' : (networkOf(desk.info, wallet.network)?.name ?? wallet.network)
}
