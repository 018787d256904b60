import { USDT } from '../../domain/amount.js'
import type { EntryToken, EvmEntry, NetworkEntry, TronEntry } from './entry.js'
import { tokenOfText } from './tokens.js'
import { readTronUrl } from './tron-url.js'

/** The settings of the two networks that the specification names. */
export interface BuiltInSettings {
  readonly sandbox: boolean
  readonly sepTokenDecimals: number
  readonly trxNileTokenDecimals: number
  readonly sepUrls: readonly string[]
  readonly sepChainId: number
  readonly sepToken?: string
  /** Each as `tokenOfText` reads it. */
  readonly sepTokens: readonly string[]
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
  readonly trxNileTokens: readonly string[]
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
    tokens: tokensOf(settings, settings.sepToken, settings.sepTokenDecimals, settings.sepTokens),
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

/** The token that is built in, and those beside it. In the sandbox there is always one to try. */
function tokensOf(
  { sandbox }: BuiltInSettings,
  contract: string | undefined,
  decimals: number,
  others: readonly string[],
): readonly EntryToken[] {
  // The texts were checked with the settings.
  const beside = others.map((text) => tokenOfText(text)).filter((token) => token !== null)
  const isTried = sandbox && beside.every(({ currency }) => currency !== SANDBOX_USDC.currency)
  return [
    { currency: USDT, symbol: USDT, contract: contract ?? null, decimals },
    ...beside,
    ...(isTried ? [SANDBOX_USDC] : []),
  ]
}

const SANDBOX_USDC: EntryToken = { currency: 'USDC', symbol: 'USDC', contract: null, decimals: 6 }

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
    tokens: tokensOf(settings, settings.trxNileToken, settings.trxNileTokenDecimals, settings.trxNileTokens),
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
export function settingOf({ id }: Pick<NetworkEntry, 'id'>, field: 'urls' | 'start'): string {
  const prefix = prefixOf(id)
  return prefix === undefined ? `"${field}" of ${id} in BILLHOOK_NETWORKS` : `${prefix}_${field.toUpperCase()}`
}

/** Where an operator has written the contract of a token. */
export function contractSettingOf(id: NetworkEntry['id'], { currency, symbol }: EntryToken): string {
  const prefix = prefixOf(id)
  if (prefix === undefined) return `the contract of ${symbol} of ${id} in BILLHOOK_NETWORKS`
  return currency === USDT ? `${prefix}_TOKEN` : `the contract of ${symbol} in ${prefix}_TOKENS`
}

function prefixOf(id: NetworkEntry['id']): string | undefined {
  return { [SEP.id]: 'BILLHOOK_SEP', [TRX_NILE.id]: 'BILLHOOK_TRX_NILE' }[id]
}
