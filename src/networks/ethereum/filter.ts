import type { WatchedAddresses } from '../network-reader.js'
import type { EthereumBlock } from './block.js'
import { type BloomEntry, bloomEntry } from './bloom.js'
import { addressTopic, TRANSFER_TOPIC } from './log.js'

/** With more addresses than this, a block's filter nearly always claims that one of them may be in it. */
const NAMED_MAX = 64

const TRANSFER_ENTRY = bloomEntry(TRANSFER_TOPIC)

/** The transfers that one query is about. The answer about an address stays the same during the query. */
export class EthereumFilter {
  private readonly answers = new Map<string, boolean>()
  private readonly tokenEntry: BloomEntry
  /** The entries of the relevant receivers, null when there are too many. */
  private readonly named: readonly BloomEntry[] | null

  constructor(
    /** Address of the token's contract, in lower case. */
    readonly token: string,
    private readonly watched: WatchedAddresses,
  ) {
    this.tokenEntry = bloomEntry(token)
    this.named = watched.few(NAMED_MAX)?.map((address) => bloomEntry(addressTopic(address))) ?? null
  }

  readonly isWatched = (address: string): boolean => {
    const known = this.answers.get(address)
    if (known !== undefined) return known
    const isWatched = this.watched.has(address)
    this.answers.set(address, isWatched)
    return isWatched
  }

  /**
   * Whether a block may have transfers of the token to watched addresses, by the Bloom filter of its header, which
   * never denies an entry that is there. An empty filter is ignored, because some nodes and chains have none.
   */
  mayMatchLogs({ bloom, txHashes }: EthereumBlock): boolean {
    if (txHashes.length === 0) return false
    if (bloom.isEmpty) return true
    if (!bloom.mayContain(this.tokenEntry) || !bloom.mayContain(TRANSFER_ENTRY)) return false
    return this.named?.some((entry) => bloom.mayContain(entry)) ?? true
  }
}
