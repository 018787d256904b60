import type { Network, NetworkKind } from '../../src/domain/network.js'
import { CATALOGUE } from '../support/catalogue.js'
import { Random } from './random.js'

const NETWORKS_STREAM = 5
/** Wei and sun. */
const COIN_DECIMALS = { evm: 18, tron: 6 }

/** The networks of a script. The wallets of the first one have even numbers. */
export type ScriptNetworks = readonly [Network, Network]

/** Two networks of the catalogue. */
export function networksOfSeed(seed: number): ScriptNetworks {
  const [first, second] = new Random(seed, NETWORKS_STREAM).shuffled(CATALOGUE)
  if (first === undefined || second === undefined) throw new Error('the catalogue has two networks at least')
  return [first.id, second.id]
}

export function kindOf(network: Network): NetworkKind {
  return entryOf(network).kind
}

/** Decimals of a token; null where the network does not have it. Some of the catalogue have no USDC. */
export function tokenDecimalsOf(network: Network, currency: string): number | null {
  return entryOf(network).tokens.find((token) => token.currency === currency)?.decimals ?? null
}

/** What a coin or token of a network is called where it has a price; null where the network does not have it. */
export function symbolOf(network: Network, currency: string): string | null {
  const { symbol, tokens } = entryOf(network)
  return currency === 'native' ? symbol : (tokens.find((token) => token.currency === currency)?.symbol ?? null)
}

/** Decimals of a coin or a token; null where the network does not have it. */
export function decimalsOf(network: Network, currency: string): number | null {
  return currency === 'native' ? COIN_DECIMALS[kindOf(network)] : tokenDecimalsOf(network, currency)
}

/** The label of deposits in a currency. */
export function labelOf(currency: string): string {
  if (currency === 'native') return '#native'
  return currency === 'USDT' ? 'Tether' : currency
}

/** The currency that a label stands for on a network (specification, Currency normalisation; decisions 15). */
export function currencyOf(network: Network, label: string | null): string | null {
  if (label === '#native' || label === '' || label === null) return 'native'
  const token = label === 'Tether' ? 'USDT' : label
  return token !== label || token === 'USDC' ? (tokenDecimalsOf(network, token) === null ? null : token) : null
}

function entryOf(network: Network) {
  const entry = CATALOGUE.find(({ id }) => id === network)
  if (entry === undefined) throw new Error(`${network} is not in the catalogue`)
  return entry
}
