import type { Currency } from '../domain/amount.js'
import type { Network } from '../domain/network.js'

/** What payers call a network. */
export const NETWORK_TITLES: Readonly<Record<Network, string>> = {
  SEP: 'SEP (Ethereum Sepolia)',
  'TRX-NILE': 'TRX-NILE (TRON Nile)',
}

/** The name of each network's native currency. */
const NATIVE_COINS: Readonly<Record<Network, string>> = { SEP: 'ETH', 'TRX-NILE': 'TRX' }

/** The coins that an invoice in `currency` can be paid in on `networks`, without duplicates. */
export function coinsOf(currency: Currency, networks: readonly Network[]): readonly string[] {
  if (currency === 'USDT') return ['USDT']
  return [...new Set(networks.map((network) => NATIVE_COINS[network]))]
}

/**
 * The unit of an amount of `currency` payable on `networks`: `USDT`, `ETH`, or `ETH or TRX` if the wallets have
 * different coins. While no network is known, the coin has no name.
 */
export function coinName(currency: Currency, networks: readonly Network[]): string {
  const coins = coinsOf(currency, networks)
  return coins.length === 0 ? 'native coin' : coins.join(' or ')
}
