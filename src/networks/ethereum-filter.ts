import type { EthereumBlock } from './ethereum-block.js'
import { type BloomEntry, bloomEntry } from './ethereum-bloom.js'
import { addressTopic, type EthereumLog, TRANSFER_TOPIC, tokenTransfer } from './ethereum-log.js'
import type { WatchedAddresses } from './network-reader.js'

/** Most addresses that a node is asked to look for; with more it is asked for every transfer of the token. */
const FILTER_ADDRESSES_MAX = 500

const TRANSFER_ENTRY = bloomEntry(TRANSFER_TOPIC)

/** Which transfers one question is about. The answer about an address stays the same during the question. */
export class EthereumFilter {
  /** In small letters; null when they are too many to be named. */
  private readonly named: readonly string[] | null
  private readonly answers = new Map<string, boolean>()
  private readonly tokenEntry: BloomEntry
  private namedEntries: ReadonlyMap<string, BloomEntry> | null = null

  constructor(
    /** Address of the token's contract, in small letters. */
    readonly token: string,
    private readonly watched: WatchedAddresses,
  ) {
    this.named = watched.few(FILTER_ADDRESSES_MAX)?.map((address) => address.toLowerCase()) ?? null
    for (const address of this.named ?? []) this.answers.set(address, true)
    this.tokenEntry = bloomEntry(token)
  }

  /** The conditions of `eth_getLogs`, or null when no log can matter: an empty list of addresses would mean any. */
  get conditions(): { readonly address: string; readonly topics: readonly unknown[] } | null {
    if (this.named === null) return { address: this.token, topics: [TRANSFER_TOPIC] }
    if (this.named.length === 0) return null
    return { address: this.token, topics: [TRANSFER_TOPIC, null, this.named.map(addressTopic)] }
  }

  readonly isWatched = (address: string): boolean => {
    const known = this.answers.get(address)
    if (known !== undefined) return known
    const isWatched = this.named === null && this.watched.has(address)
    this.answers.set(address, isWatched)
    return isWatched
  }

  /** Whether a log tells a transfer of the token to a watched address. */
  readonly matches = (log: EthereumLog): boolean => {
    const transfer = tokenTransfer(log, this.token)
    return transfer !== null && this.isWatched(transfer.toAddress)
  }

  /** Whether the block's own filter denies that it has any transfer of the token. */
  isDenied({ bloom }: EthereumBlock): boolean {
    return !bloom.mayContain(this.tokenEntry) || !bloom.mayContain(TRANSFER_ENTRY)
  }

  /**
   * Whether logs may be missing in what a node found in a block: the block's own filter says that there may be one, and
   * the node has none. A node answers so when its index is missing or behind, without an error.
   */
  isDoubtful(block: EthereumBlock, found: readonly EthereumLog[]): boolean {
    if (this.isDenied(block)) return false
    const transfers = found.filter((log) => tokenTransfer(log, this.token) !== null)
    if (this.named === null) return transfers.length === 0
    const seen = new Set(transfers.map(({ topics }) => topics[2]))
    for (const [topic, entry] of this.entriesOfNamed()) {
      if (!seen.has(topic) && block.bloom.mayContain(entry)) return true
    }
    return false
  }

  private entriesOfNamed(): ReadonlyMap<string, BloomEntry> {
    this.namedEntries ??= new Map((this.named ?? []).map(addressTopic).map((topic) => [topic, bloomEntry(topic)]))
    return this.namedEntries
  }
}
