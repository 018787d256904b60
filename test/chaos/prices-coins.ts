import { addressOfAccount } from '../../src/networks/tron/address.js'
import { addressNumber } from '../support/ethereum-chain.js'
import { emulatedAccount } from '../support/tron-transactions.js'

/** What an option asks for. */
export type Coin = 'native' | 'USDT' | 'USDC'

export interface PricedNetwork {
  readonly id: string
  readonly kind: 'evm' | 'tron'
  /** What rates call its own coin. */
  readonly symbol: string
  /** Decimal places of what it carries. The tokens of BNB have 18, and those of the others 6. */
  readonly decimals: Readonly<Partial<Record<Coin, number>>>
}

export const ETH: PricedNetwork = { id: 'ETH', kind: 'evm', symbol: 'ETH', decimals: { native: 18, USDT: 6, USDC: 6 } }
export const BNB: PricedNetwork = {
  id: 'BNB',
  kind: 'evm',
  symbol: 'BNB',
  decimals: { native: 18, USDT: 18, USDC: 18 },
}
export const TRON: PricedNetwork = { id: 'TRON', kind: 'tron', symbol: 'TRX', decimals: { native: 6, USDT: 6 } }
export const PRICED_NETWORKS = [ETH, BNB, TRON] as const

const CONTRACTS = 9000

/** As the file of networks has them. Their deposits come from the gateway, so none has nodes. */
export function networkEntries(): readonly unknown[] {
  return PRICED_NETWORKS.map(({ id, kind, symbol, decimals }, at) => {
    const tokens = Object.entries(decimals)
      .filter(([coin]) => coin !== 'native')
      .map(([coin, places], n) => {
        return { symbol: coin, contract: addressOn(kind, CONTRACTS + at * 10 + n), decimals: places }
      })
    const identity = kind === 'evm' ? { chainId: 73_100 + at } : { genesis: '7'.repeat(64) }
    return { id, kind, name: `Network ${id}`, claim: `priced/${id.toLowerCase()}`, symbol, tokens, ...identity }
  })
}

/** An address that is different for each number. */
export function addressOn(kind: PricedNetwork['kind'], number: number): string {
  return kind === 'evm' ? addressNumber(number) : addressOfAccount(emulatedAccount(number))
}

/** What rates call what an option asks for, on wallets of such a network. */
export function symbolOf(coin: Coin, network: PricedNetwork): string {
  return coin === 'native' ? network.symbol : coin
}

/** Decimal places that a coin has on all of these networks. */
export function decimalsOn(coin: Coin, networks: readonly PricedNetwork[]): number {
  return Math.min(...networks.map(({ decimals }) => decimals[coin] ?? 0))
}

/** The label of a coin in a deposit. */
export function labelOf(coin: Coin): string {
  if (coin === 'native') return '#native'
  return coin === 'USDT' ? 'Tether' : coin
}
