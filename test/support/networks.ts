import { type KnownNetwork, Networks } from '../../src/domain/network.js'
import type { PageNetwork } from '../../src/page/networks.js'

const SEP: KnownNetwork = {
  id: 'SEP',
  kind: 'evm',
  name: 'Ethereum Sepolia',
  symbol: 'ETH',
  tokenSymbol: 'USDT',
  decimals: 6,
  isTest: true,
  isRetired: false,
}

const NILE: KnownNetwork = { ...SEP, id: 'TRX-NILE', kind: 'tron', name: 'TRON Nile', symbol: 'TRX' }

/** One of the operator's file, whose token has as many decimals as amounts may have. */
export const BNB: KnownNetwork = {
  ...SEP,
  id: 'BNB',
  name: 'BNB Smart Chain',
  symbol: 'BNB',
  decimals: 18,
  isTest: false,
}

/** The two that are built in, and one of a file. */
export const TEST_NETWORKS = new Networks([SEP, NILE, BNB])

/** The same with other decimals of the token. */
export function withDecimals(decimals: Readonly<Record<string, number>>): Networks {
  return new Networks(TEST_NETWORKS.all.map((one) => ({ ...one, decimals: decimals[one.id] ?? one.decimals })))
}

/** What pages say of the test networks, which have no explorer and no contract unless `more` says so. */
export function pageNetworks(more: Readonly<Record<string, Partial<PageNetwork>>> = {}): (id: string) => PageNetwork {
  return (id) => {
    const about = TEST_NETWORKS.find(id)
    if (about === undefined) throw new Error(`a page asks for the network ${id}`)
    const facts = { chainId: null, genesis: null, walletNodes: [], token: null, explorer: null, confirmations: null }
    const told = { tokenStandard: null, confirmationMinutes: null }
    return { ...about, ...facts, ...told, ...more[id] }
  }
}
