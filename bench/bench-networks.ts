import { Networks } from '../src/domain/network.js'

const SEP = {
  id: 'SEP',
  kind: 'evm',
  name: 'Ethereum Sepolia',
  symbol: 'ETH',
  tokenSymbol: 'USDT',
  decimals: 6,
  isTest: true,
  isRetired: false,
} as const

/** The networks of measurements without a service. */
export const BENCH_NETWORKS = new Networks([
  SEP,
  { ...SEP, id: 'TRX-NILE', kind: 'tron', name: 'TRON Nile', symbol: 'TRX' },
])
