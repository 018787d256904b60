import { type Currency, NATIVE } from '../domain/amount.js'
import type { Network, Networks } from '../domain/network.js'

/** What people call a currency on a network: the symbol of its coin or of its token. One that the network does not have stays as it is. */
export function coinName(networks: Networks, network: Network | null, currency: Currency): string {
  const about = network === null ? undefined : networks.find(network)
  if (about === undefined) return currency
  return currency === NATIVE
    ? about.symbol
    : (about.tokens.find((token) => token.currency === currency)?.symbol ?? currency)
}
