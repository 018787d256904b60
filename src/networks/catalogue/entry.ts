import { type Network, type NetworkKind, Networks, type Token } from '../../domain/network.js'

/** The tags of Ethereum-like nodes for blocks that can be relied on. */
export const FINALITY_TAGS = ['finalized', 'safe'] as const

/** A node whose newest block is older has stalled: blocks come every 12 s on Ethereum, every 3 s on TRON. */
export const QUIET_SECONDS = { evm: 180, tron: 60 } as const

/** A token of a network. */
export interface EntryToken extends Token {
  /** The address of its contract; null if it is not configured, which only that of a built-in network may be. */
  readonly contract: string | null
}

interface Entry {
  readonly id: Network
  readonly kind: NetworkKind
  /** For people. */
  readonly name: string
  /** The end of the path at which a wallet is claimed, of two segments: `sep/eth`. */
  readonly claim: string
  /** Whether its coins are worthless. */
  readonly testnet: boolean
  /** Of its own coin, such as ETH. */
  readonly symbol: string
  /** At least one, no two of one currency. */
  readonly tokens: readonly EntryToken[]
  /** What exchanges call the network when they send its tokens, such as TRC20; null where they use its own name. */
  readonly tokenStandard: string | null
  /** About how many minutes pass until a deposit is confirmed, for payers; null if that is not known. */
  readonly confirmationMinutes: number | null
  /** The first block to read when it was never watched. */
  readonly start: 'latest' | number
  readonly pollMs: number
  /** How long it may be without a new block, when the operator says so; null for `QUIET_SECONDS` of its kind. */
  readonly quietSeconds: number | null
  /** The page of a transaction in a block explorer, with `{txHash}`; null without one. */
  readonly explorer: string | null
}

/** A network whose nodes speak Ethereum's JSON-RPC. */
export interface EvmEntry extends Entry {
  readonly kind: 'evm'
  /** Of its nodes, in order of preference. Secret. Without any it is not watched. */
  readonly urls: readonly string[]
  readonly chainId: number
  /** The number of blocks that confirm a deposit, its own included; or the tag of the blocks that are relied on. */
  readonly confirmations: number | (typeof FINALITY_TAGS)[number]
  /** The maximum number of calls in one request. */
  readonly batch: number
  /** The maximum number of blocks read at once. */
  readonly range: number
  /** Whether transfers of coins that contracts make are read from traces. */
  readonly traces: boolean
}

/** A network whose nodes have TRON's REST interface. */
export interface TronEntry extends Entry {
  readonly kind: 'tron'
  /** Of its nodes, in order of preference. Secret. Without any it is not watched. */
  readonly urls: readonly TronUrl[]
  /** The id of its first block, 64 lower-case hex digits. */
  readonly genesis: string
  /** The origins of the nodes that browser wallets use. Without any the payment page does not offer to pay from one. */
  readonly walletNodes: readonly string[]
  /** Sent to its nodes as `TRON-PRO-API-KEY`. Secret; null for none. */
  readonly apiKey: string | null
}

/** Where a TRON node serves its interface. java-tron has a port for `/wallet` and another one for `/walletsolidity`. */
export interface TronUrl {
  readonly full: string
  /** For `/walletsolidity`; null where it is served at the same address, or not at all. */
  readonly solidity: string | null
}

/** What the service knows of a network, whether it is built in or of the operator's file. */
export type NetworkEntry = EvmEntry | TronEntry

/** Every URL of an entry. Secret. */
export function urlsOf(entry: NetworkEntry): readonly string[] {
  if (entry.kind === 'evm') return entry.urls
  return entry.urls.flatMap(({ full, solidity }) => (solidity === null ? [full] : [full, solidity]))
}

/** The networks that the entries describe, in their order. */
export function networksOf(entries: readonly NetworkEntry[]): Networks {
  return new Networks(
    entries.map(({ id, kind, name, symbol, tokens, testnet }) => ({
      id,
      kind,
      name,
      symbol,
      tokens: tokens.map((token) => ({ ...aboutToken(token), isRetired: false })),
      isTest: testnet,
      isRetired: false,
    })),
  )
}

function aboutToken({ currency, symbol, decimals }: Token): Token {
  return { currency, symbol, decimals }
}
