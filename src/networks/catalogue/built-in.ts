import type { EvmEntry, NetworkEntry, TronEntry } from './entry.js'
import { readTronUrl } from './tron-url.js'

/** The settings of the two networks that the specification names. */
export interface BuiltInSettings {
  readonly sepTokenDecimals: number
  readonly trxNileTokenDecimals: number
  readonly sepUrls: readonly string[]
  readonly sepChainId: number
  readonly sepToken?: string
  readonly sepConfirmations: EvmEntry['confirmations']
  readonly sepStart: 'latest' | number
  readonly sepPollMs: number
  readonly sepBatch: number
  readonly sepRange: number
  readonly sepExplorer: string | null
  readonly trxNileUrls: readonly string[]
  readonly trxNileApiKey?: string
  readonly trxNileGenesis: string
  readonly trxNileToken?: string
  readonly trxNileStart: 'latest' | number
  readonly trxNilePollMs: number
  readonly trxNileExplorer: string | null
}

/** What names a built-in network, and cannot name another one. */
export const SEP = { id: 'SEP', claim: 'sep/eth' } as const
export const TRX_NILE = { id: 'TRX-NILE', claim: 'niles/trx' } as const

/** The entries of the networks that are there without a file. */
export function builtInEntries(settings: BuiltInSettings): readonly [EvmEntry, TronEntry] {
  return [sepolia(settings), nile(settings)]
}

function sepolia(settings: BuiltInSettings): EvmEntry {
  return {
    ...SEP,
    kind: 'evm',
    name: 'Ethereum Sepolia',
    testnet: true,
    chainId: settings.sepChainId,
    symbol: 'ETH',
    token: { symbol: 'USDT', contract: settings.sepToken ?? null, decimals: settings.sepTokenDecimals },
    tokenStandard: 'ERC20',
    confirmationMinutes: sepoliaMinutes(settings.sepConfirmations),
    urls: settings.sepUrls,
    confirmations: settings.sepConfirmations,
    start: settings.sepStart,
    pollMs: settings.sepPollMs,
    quietSeconds: null,
    explorer: settings.sepExplorer,
    batch: settings.sepBatch,
    range: settings.sepRange,
    traces: false,
  }
}

/** A block comes every 12 seconds; `safe` is an epoch behind, `finalized` two or three. */
function sepoliaMinutes(confirmations: EvmEntry['confirmations']): number {
  if (confirmations === 'finalized') return 15
  return confirmations === 'safe' ? 8 : Math.ceil((confirmations * 12) / 60)
}

/** 19 blocks of 3 seconds. */
const SOLIDIFIED_MINUTES = 1

function nile(settings: BuiltInSettings): TronEntry {
  return {
    ...TRX_NILE,
    kind: 'tron',
    name: 'TRON Nile',
    testnet: true,
    genesis: settings.trxNileGenesis,
    walletNodes: ['https://nile.trongrid.io'],
    symbol: 'TRX',
    token: { symbol: 'USDT', contract: settings.trxNileToken ?? null, decimals: settings.trxNileTokenDecimals },
    tokenStandard: 'TRC20',
    confirmationMinutes: SOLIDIFIED_MINUTES,
    urls: settings.trxNileUrls.map(readTronUrl),
    apiKey: settings.trxNileApiKey ?? null,
    start: settings.trxNileStart,
    pollMs: settings.trxNilePollMs,
    quietSeconds: null,
    explorer: settings.trxNileExplorer,
  }
}

/** The variables that an operator sets for a network: a built-in one has its own, others are in the file. */
export function settingOf({ id }: Pick<NetworkEntry, 'id'>, field: 'urls' | 'start' | 'token'): string {
  const prefix = { [SEP.id]: 'BILLHOOK_SEP', [TRX_NILE.id]: 'BILLHOOK_TRX_NILE' }[id]
  return prefix === undefined ? `"${field}" of ${id} in BILLHOOK_NETWORKS` : `${prefix}_${field.toUpperCase()}`
}
