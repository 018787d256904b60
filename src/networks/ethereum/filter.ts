import { NATIVE_LABEL } from '../../domain/amount.js'
import type { WatchedAddresses } from '../../domain/block.js'
import type { EthereumBlock } from './block.js'
import { type BloomEntry, bloomEntry, type LogsBloom, proves } from './bloom.js'
import type { LoggedTransfer, ToldLog } from './told-log.js'
import { addressIn, dataIn, type Value } from './values.js'

/** keccak-256 of `Transfer(address,address,uint256)` (ERC-20). */
export const TRANSFER_TOPIC = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef'
/** The event, the sender, the receiver. A fourth topic makes it another event (ERC-721). */
const TRANSFER_TOPICS = 3

/**
 * Polygon's nodes log every movement of the coin, by contracts too, as an event of this contract:
 * `LogTransfer(address,address,address,uint256,uint256,uint256,uint256,uint256)`. The fee has another event.
 */
export const COIN_CONTRACT = '0x0000000000000000000000000000000000001010'
export const COIN_TOPIC = '0xe6497e3ee548a3372136af2fcb0696db31fc6cf20260707645068bd3fe97f3c4'
/** The event, the contract, the sender, the receiver. */
const COIN_TOPICS = 4

const WORD_DIGITS = 64
const WORD_LENGTH = 2 + WORD_DIGITS
/** A topic is 32 bytes; the last 20 of them are an address. */
const ADDRESS_PADDING = `0x${'0'.repeat(24)}`
/** With more addresses than this, a block's filter nearly always claims that one of them may be in it. */
const NAMED_MAX = 64
/** Answers that are remembered within one query: a block can name hundreds of thousands of addresses. */
const REMEMBERED_MAX = 20_000

/** An event of one contract that moves something. */
export interface Movement {
  /** The label of what it moves. */
  readonly label: string
  readonly contract: string
  readonly contractEntry: BloomEntry
  readonly event: string
  readonly eventEntry: BloomEntry
}

const COIN = movementOf(NATIVE_LABEL, COIN_CONTRACT, COIN_TOPIC)

/** A token whose transfers are read. */
export interface ReadToken {
  /** That of its deposits. */
  readonly label: string
  /** The address of its contract. */
  readonly contract: string
}

/** The transfers of a network's tokens, made once: each query has a filter of its own. */
export function tokenMovements(tokens: readonly ReadToken[]): readonly Movement[] {
  return tokens.map(({ label, contract }) => movementOf(label, contract.toLowerCase(), TRANSFER_TOPIC))
}

/** The transfers that one query is about. The answer about an address stays the same during the query. */
export class EthereumFilter {
  private readonly answers = new Map<string, boolean>()
  /** The entries of addresses and topics that were looked at: many return within one query. */
  private readonly entries = new Map<string, BloomEntry>()
  /** The entries of the relevant receivers, null when there are too many. */
  private readonly named: readonly BloomEntry[] | null

  constructor(
    /** Of any of these a log may tell; which token it is, its contract decides. */
    private readonly tokens: readonly Movement[],
    private readonly watched: WatchedAddresses,
    /** Whether logs of Polygon's form tell what contracts send. */
    private readonly hasCoinLogs = false,
  ) {
    this.named = watched.few(NAMED_MAX)?.map((address) => bloomEntry(addressTopic(address))) ?? null
  }

  readonly isWatched = (address: string): boolean => {
    const known = this.answers.get(address)
    if (known !== undefined) return known
    const isWatched = this.watched.has(address)
    if (this.answers.size < REMEMBERED_MAX) this.answers.set(address, isWatched)
    return isWatched
  }

  entryOf(data: string): BloomEntry {
    const known = this.entries.get(data)
    if (known !== undefined) return known
    const entry = bloomEntry(data)
    if (this.entries.size < REMEMBERED_MAX) this.entries.set(data, entry)
    return entry
  }

  /**
   * Whether a block may have transfers by logs to watched addresses, by the Bloom filter of its header, which never denies an
   * entry that is there. A filter of nothing or of everything says nothing: some chains have no filters.
   */
  mayMatchLogs({ bloom, txHashes }: Pick<EthereumBlock, 'bloom' | 'txHashes'>): boolean {
    return proves(bloom) ? this.mayHoldTransfer(bloom) && this.mayNameOurs(bloom) : txHashes.length > 0
  }

  /** Whether the logs of a receipt must be compared with its filter: these may hold a transfer of a token, or of coins to us. */
  isOfInterest(bloom: LogsBloom): boolean {
    return this.mayHoldToken(bloom) || (this.hasCoinLogs && mayHold(bloom, COIN) && this.mayNameOurs(bloom))
  }

  /** Whether a header's filter denies a transfer that a log tells of. */
  isDenied({ label, toAddress }: LoggedTransfer, bloom: LogsBloom | null): boolean {
    if (!proves(bloom)) return false
    const movement = this.tokens.find((token) => token.label === label) ?? COIN
    return !(mayHold(bloom, movement) && bloom.mayContain(this.entryOf(addressTopic(toAddress))))
  }

  /** What a log says: a transfer to us, a transfer of a token that is none, or nothing of interest. */
  transferIn(log: ToldLog, place: number): LoggedTransfer | 'foreign' | null {
    const { address, topics } = log
    if (topics === null || topics === undefined) return null
    const token = isSame(topics[0], TRANSFER_TOPIC)
      ? this.tokens.find(({ contract }) => isSame(address, contract))
      : undefined
    if (token !== undefined) {
      return topics.length === TRANSFER_TOPICS
        ? (this.toUs(log, place, token, topics[2], null) ?? 'foreign')
        : 'foreign'
    }
    if (!this.hasCoinLogs || !isSame(address, COIN.contract) || !isSame(topics[0], COIN.event)) return null
    return topics.length === COIN_TOPICS ? this.toUs(log, place, COIN, topics[3], receiverIn(topics[2])) : null
  }

  /** A transfer to a watched address, null when it is none. Both events have the amount as their first word of data. */
  private toUs(
    { data, transactionHash: txHash, blockHash, removed }: ToldLog,
    place: number,
    { label }: Movement,
    receiver: Value,
    from: string | null,
  ): LoggedTransfer | null {
    const toAddress = receiverIn(receiver)
    if (toAddress === null || !this.isWatched(toAddress)) return null
    const bytes = dataIn(data)
    const isCoin = label === NATIVE_LABEL
    const isAmount = bytes === null || (isCoin ? bytes.length >= WORD_LENGTH : bytes.length === WORD_LENGTH)
    const amount = bytes === null || !isAmount ? null : BigInt(bytes.slice(0, WORD_LENGTH))
    // Other data of a token than a word are no amount, and 0 transfers nothing.
    if (!isAmount || amount === 0n) return null
    return { place, label, from, toAddress, amount, txHash, blockHash, isRemoved: removed === true }
  }

  private mayHoldTransfer(bloom: LogsBloom): boolean {
    return this.mayHoldToken(bloom) || (this.hasCoinLogs && mayHold(bloom, COIN))
  }

  private mayHoldToken(bloom: LogsBloom): boolean {
    return this.tokens.some((token) => mayHold(bloom, token))
  }

  private mayNameOurs(bloom: LogsBloom): boolean {
    return this.named?.some((entry) => bloom.mayContain(entry)) ?? true
  }
}

/** The topic for an address. */
export function addressTopic(address: string): string {
  return `${ADDRESS_PADDING}${address.slice(2).toLowerCase()}`
}

function movementOf(label: string, contract: string, event: string): Movement {
  return { label, contract, contractEntry: bloomEntry(contract), event, eventEntry: bloomEntry(event) }
}

function mayHold(bloom: LogsBloom, { contractEntry, eventEntry }: Movement): boolean {
  return bloom.mayContain(contractEntry) && bloom.mayContain(eventEntry)
}

/** Compares with hexadecimal digits in lower case. */
function isSame(value: Value, expected: string): boolean {
  if (value === expected) return true
  return typeof value === 'string' && value.length === expected.length && value.toLowerCase() === expected
}

/** The address in a topic. */
function receiverIn(topic: Value): string | null {
  if (typeof topic !== 'string' || !topic.startsWith(ADDRESS_PADDING)) return null
  return addressIn(`0x${topic.slice(ADDRESS_PADDING.length)}`)
}
