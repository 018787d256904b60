import type { Network, NetworkKind } from '../../src/domain/network.js'
import { CATALOGUE } from '../support/catalogue.js'
import { Random } from './random.js'

const NETWORKS_STREAM = 5

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

export function tokenDecimalsOf(network: Network): number {
  const token = entryOf(network).tokens.find(({ currency }) => currency === 'USDT')
  if (token === undefined) throw new Error(`${network} has no USDT`)
  return token.decimals
}

function entryOf(network: Network) {
  const entry = CATALOGUE.find(({ id }) => id === network)
  if (entry === undefined) throw new Error(`${network} is not in the catalogue`)
  return entry
}
