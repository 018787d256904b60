import { type Currency, NATIVE } from '../domain/amount.js'
import { COIN_DECIMALS, type KnownNetwork, type Network, type Token } from '../domain/network.js'

/** What pages say of a token. */
export interface PageToken extends Token {
  /** The address of its contract; null when it is not configured. */
  readonly contract: string | null
}

/** What pages say of a network. */
export interface PageNetwork extends Pick<KnownNetwork, 'kind' | 'name' | 'symbol' | 'isTest'> {
  readonly tokens: readonly PageToken[]
  /** Of EIP-155; null where networks have none. */
  readonly chainId: number | null
  /** The id of the first block on TRON; null elsewhere. */
  readonly genesis: string | null
  /** The origins that TRON's browser wallets ask from within the page. Without any the page offers none of them. */
  readonly walletNodes: readonly string[]
  /** What exchanges call the network when they send its tokens, such as TRC20; null where they use its own name. */
  readonly tokenStandard: string | null
  /** The address of an explorer's page, with `{txHash}` in it; null without one. */
  readonly explorer: string | null
  /** How many confirmations a deposit needs; null where the network's own finality decides. */
  readonly confirmations: number | null
  /** About how long a deposit takes to be confirmed; null if that is not known. */
  readonly confirmationMinutes: number | null
}

/** What pages say of each network that a record may name. */
export type PageNetworks = (network: Network) => PageNetwork

/** The token that a currency is on a network; null for the coin, and where the network is not known to have it. */
export function tokenOn(currency: Currency, { tokens }: Pick<PageNetwork, 'tokens'>): PageToken | null {
  return tokens.find((token) => token.currency === currency) ?? null
}

/** What people call the coin or token that an invoice in `currency` is paid in on a network. */
export function coinOn(currency: Currency, network: PageNetwork): string {
  return currency === NATIVE ? network.symbol : (tokenOn(currency, network)?.symbol ?? currency)
}

/** How many decimal places it has. */
export function decimalsOn(currency: Currency, network: PageNetwork): number {
  return currency === NATIVE ? COIN_DECIMALS[network.kind] : (tokenOn(currency, network)?.decimals ?? DECIMALS_MAX)
}

/** Of amounts: where a token is not known, nothing of one is rounded. */
const DECIMALS_MAX = 18

/**
 * What payers look for on their exchange. A coin is sent on the network of its name; a token is on several, which exchanges
 * call by its standard there.
 */
export function nameOn(currency: Currency, { name, tokenStandard }: PageNetwork): string {
  return currency !== NATIVE && tokenStandard !== null ? `${name} (${tokenStandard})` : name
}

/**
 * The coins that an invoice in `currency` can be paid in on `networks`, without duplicates. A token is the same one on each of
 * them, so where they call it by several names, it has that of the currency.
 */
export function coinsOf(currency: Currency, networks: readonly PageNetwork[]): readonly string[] {
  const coins = new Set(networks.map((network) => coinOn(currency, network)))
  return currency === NATIVE || coins.size === 1 ? [...coins] : [currency]
}
