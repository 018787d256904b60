import type { Currency } from '../domain/amount.js'
import type { KnownNetwork, Network } from '../domain/network.js'

/** What pages say of a network. */
export interface PageNetwork extends Pick<KnownNetwork, 'kind' | 'name' | 'symbol' | 'tokenSymbol' | 'isTest'> {
  /** Of EIP-155; null where networks have none. */
  readonly chainId: number | null
  /** The address of the token's contract; null when it is not configured. */
  readonly token: string | null
  /** The address of an explorer's page, with `{txHash}` in it; null without one. */
  readonly explorer: string | null
  /** How many confirmations a deposit needs; null where the network's own finality decides. */
  readonly confirmations: number | null
}

/** What pages say of each network that a record may name. */
export type PageNetworks = (network: Network) => PageNetwork

/** The coin that an invoice in `currency` is paid in on a network. */
export function coinOn(currency: Currency, { symbol, tokenSymbol }: PageNetwork): string {
  return currency === 'USDT' ? tokenSymbol : symbol
}

/** The coins that an invoice in `currency` can be paid in on `networks`, without duplicates. */
export function coinsOf(currency: Currency, networks: readonly PageNetwork[]): readonly string[] {
  if (networks.length === 0) return currency === 'USDT' ? [currency] : []
  return [...new Set(networks.map((network) => coinOn(currency, network)))]
}
