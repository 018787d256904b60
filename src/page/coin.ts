import type { Currency } from '../domain/amount.js'
import type { Network } from '../domain/network.js'

/** What payers call a network. */
export const NETWORK_TITLES: Readonly<Record<Network, string>> = {
  SEP: 'Ethereum Sepolia',
  'TRX-NILE': 'TRON Nile',
}

/** The name of each network's native currency. */
const NATIVE_COINS: Readonly<Record<Network, string>> = { SEP: 'ETH', 'TRX-NILE': 'TRX' }

/** The coin that an invoice in `currency` is paid in on `network`. */
export function coinOn(currency: Currency, network: Network): string {
  return currency === 'USDT' ? 'USDT' : NATIVE_COINS[network]
}

/** The coins that an invoice in `currency` can be paid in on `networks`, without duplicates. */
export function coinsOf(currency: Currency, networks: readonly Network[]): readonly string[] {
  if (currency === 'USDT') return ['USDT']
  return [...new Set(networks.map((network) => NATIVE_COINS[network]))]
}
