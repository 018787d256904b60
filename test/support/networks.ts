import { type KnownNetwork, type KnownToken, Networks } from '../../src/domain/network.js'
import type { PageNetwork, PageToken } from '../../src/page/networks.js'

/** A token of the catalogue, called as its currency. */
export function tokenOf(currency: string, decimals: number): KnownToken {
  return { currency, symbol: currency, decimals, isRetired: false }
}

/** The first three currencies are on all test networks, each but the last with other decimals on BNB. */
const SEP: KnownNetwork = {
  id: 'SEP',
  kind: 'evm',
  name: 'Ethereum Sepolia',
  symbol: 'ETH',
  tokens: [tokenOf('USDT', 6), tokenOf('USDC', 6), tokenOf('EURC', 6)],
  isTest: true,
  isRetired: false,
}

const NILE: KnownNetwork = {
  ...SEP,
  id: 'TRX-NILE',
  kind: 'tron',
  name: 'TRON Nile',
  symbol: 'TRX',
  tokens: [tokenOf('USDT', 6), tokenOf('USDC', 6)],
}

/** One of the operator's file, whose tokens have as many decimals as amounts may have. */
export const BNB: KnownNetwork = {
  ...SEP,
  id: 'BNB',
  name: 'BNB Smart Chain',
  symbol: 'BNB',
  tokens: [tokenOf('USDT', 18), tokenOf('USDC', 18)],
  isTest: false,
}

/** The two that are built in, and one of a file. */
export const TEST_NETWORKS = new Networks([SEP, NILE, BNB])

/** The same with other decimals of the token USDT. */
export function withDecimals(decimals: Readonly<Record<string, number>>): Networks {
  return new Networks(
    TEST_NETWORKS.all.map((one) =>
      withUsdt(one, { ...(decimals[one.id] === undefined ? {} : { decimals: decimals[one.id] }) }),
    ),
  )
}

function withUsdt<N extends { readonly tokens: readonly KnownToken[] }>(network: N, change: Partial<KnownToken>): N {
  const tokens = network.tokens.map((token) => (token.currency === 'USDT' ? { ...token, ...change } : token))
  return { ...network, tokens }
}

/** What a test says of a network, and of its token USDT. */
interface ToldNetwork extends Partial<PageNetwork> {
  readonly token?: string | null
  readonly tokenSymbol?: string
  readonly decimals?: number
}

/** What pages say of the test networks, which have no explorer and no contracts unless `more` says so. */
export function pageNetworks(more: Readonly<Record<string, ToldNetwork>> = {}): (id: string) => PageNetwork {
  return (id) => {
    const about = TEST_NETWORKS.find(id)
    if (about === undefined) throw new Error(`a page asks for the network ${id}`)
    const { token: contract = null, tokenSymbol, decimals, ...told } = more[id] ?? {}
    const tokens = about.tokens.map(({ currency, symbol, decimals: places }): PageToken => {
      if (currency !== 'USDT') return { currency, symbol, decimals: places, contract: null }
      return { currency, symbol: tokenSymbol ?? symbol, decimals: decimals ?? places, contract }
    })
    const facts = { chainId: null, genesis: null, walletNodes: [], explorer: null, confirmations: null }
    return { ...about, ...facts, tokens, tokenStandard: null, confirmationMinutes: null, ...told }
  }
}
