import { formatAmount, NATIVE_LABEL, TOKEN_LABEL } from '../../domain/amount.js'
import type { ObservedBlock, ObservedTransfer, WatchedAddresses } from '../../domain/block.js'
import { demand } from '../node/answer.js'
import type { EthereumBlock, EthereumLog, EthereumReceipt } from './block.js'
import { type BloomEntry, bloomEntry, LogsBloom } from './bloom.js'

/** keccak-256 of `Transfer(address,address,uint256)` (ERC-20). */
export const TRANSFER_TOPIC = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef'
/** The event, the sender, the receiver. A fourth topic makes it another event (ERC-721). */
const TRANSFER_TOPICS = 3
const TRANSFER_ENTRY = bloomEntry(TRANSFER_TOPIC)
/** A topic is 32 bytes; the last 20 of them are an address. */
const ADDRESS_PADDING = `0x${'0'.repeat(24)}`
/** With more addresses than this, a block's filter nearly always claims that one of them may be in it. */
const NAMED_MAX = 64

/** The transfers that one query is about. The answer about an address stays the same during the query. */
export class EthereumFilter {
  /** Address of the token's contract, in lower case. */
  readonly token: string
  private readonly answers = new Map<string, boolean>()
  /** The entries of addresses and topics that were looked at: many return within one query. */
  private readonly entries = new Map<string, BloomEntry>()
  private readonly tokenEntry: BloomEntry
  /** The entries of the relevant receivers, null when there are too many. */
  private readonly named: readonly BloomEntry[] | null

  constructor(
    token: string,
    private readonly watched: WatchedAddresses,
  ) {
    this.token = token.toLowerCase()
    this.tokenEntry = bloomEntry(this.token)
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
   * never denies an entry that is there. An empty filter is not believed: a chain may have none, and its blocks are refused then.
   */
  mayMatchLogs({ bloom, txHashes }: EthereumBlock): boolean {
    if (txHashes.length === 0) return false
    if (bloom.isEmpty) return true
    if (!this.mayHoldToken(bloom)) return false
    return this.named?.some((entry) => bloom.mayContain(entry)) ?? true
  }

  bloomOf(logs: readonly EthereumLog[]): LogsBloom {
    return LogsBloom.over(
      logs.flatMap(({ address, topics }) => [address, ...topics]),
      (data) => {
        const entry = this.entries.get(data) ?? bloomEntry(data)
        this.entries.set(data, entry)
        return entry
      },
    )
  }

  /** Whether logs with this filter may have a transfer of the token, to whomever. */
  mayHoldToken(bloom: LogsBloom): boolean {
    return bloom.mayContain(this.tokenEntry) && bloom.mayContain(TRANSFER_ENTRY)
  }
}

/** The topic for an address. */
export function addressTopic(address: string): string {
  return `${ADDRESS_PADDING}${address.slice(2).toLowerCase()}`
}

/**
 * The transfers of a block with all its receipts. Throws `BadAnswer` unless there is one for each transaction, in
 * order, their Bloom filters together are that of the header, and the logs of each receipt make its filter. The last is
 * only checked where the filter allows a transfer of the token: for every log it would take a third of the time.
 */
export function observeWhole(
  block: EthereumBlock,
  receipts: readonly EthereumReceipt[],
  filter: EthereumFilter,
): ObservedBlock {
  demand(receipts.length === block.txHashes.length, 'a block has not as many receipts as transactions')
  const logs = receipts.flatMap((receipt) => receipt.logs)
  const isInOrder = logs.every(({ logIndex }, i) => logIndex === i)
  demand(isInOrder, 'the logs of a block are not consecutive')
  const union = LogsBloom.union(receipts.map(({ bloom }) => bloom))
  demand(union.equals(block.bloom), 'the logs of a block are not those of its header')
  for (const receipt of receipts) {
    const isFitting = filter.mayHoldToken(receipt.bloom)
      ? filter.bloomOf(receipt.logs).equals(receipt.bloom)
      : receipt.logs.every(({ address, topics }) => address !== filter.token || topics[0] !== TRANSFER_TOPIC)
    demand(isFitting, 'the logs of a receipt are not those of its filter')
  }
  return observe(block, new Map(receipts.entries()), filter)
}

/** The transfers of a block without any of the token, from the receipts of its payments, in order. */
export function observePayments(
  block: EthereumBlock,
  receipts: readonly EthereumReceipt[],
  filter: EthereumFilter,
): ObservedBlock {
  const byPlace = new Map(block.payments.map(({ txIndex }, i) => [txIndex, receipts[i]]))
  const observed = observe(block, byPlace, filter)
  const isNative = observed.transfers.every(({ index }) => index === 0)
  demand(isNative, 'a block has a log that its header denies')
  return observed
}

/** `receipts` by position; those without possible transfers may be missing. */
function observe(
  block: EthereumBlock,
  receipts: ReadonlyMap<number, EthereumReceipt | undefined>,
  filter: EthereumFilter,
): ObservedBlock {
  const transfers: ObservedTransfer[] = []
  for (const [txIndex, receipt] of receipts) {
    const isOfBlock = receipt?.blockHash === block.hash && receipt.txIndex === txIndex
    demand(isOfBlock && receipt.txHash === block.txHashes[txIndex], 'a receipt is of another block or transaction')
    transfers.push(...transfersOf(receipt, block, filter))
  }
  const { height, hash, parentHash, timeMs } = block
  return { height, hash, parentHash, timeMs, transfers }
}

/** The transfers of a transaction to watched addresses: its own value first, then the logs of its receipt. */
function transfersOf(receipt: EthereumReceipt, block: EthereumBlock, filter: EthereumFilter): ObservedTransfer[] {
  if (!receipt.succeeded) return []
  const { txHash } = receipt
  const transfers: ObservedTransfer[] = []
  const payment = block.payments.find(({ txIndex }) => txIndex === receipt.txIndex)
  if (payment !== undefined) {
    const { toAddress, amount } = payment
    // An atom of an amount is 10⁻¹⁸, and so is a wei.
    transfers.push({ txHash, index: 0, toAddress, currency: NATIVE_LABEL, amount: formatAmount(amount) })
  }
  for (const [i, log] of receipt.logs.entries()) {
    const toAddress = receiverOf(log, filter.token)
    // Other data than a word are no amount, and 0 transfers nothing.
    if (toAddress === null || !log.word || !filter.isWatched(toAddress)) continue
    // The position within the receipt stays the same when another block includes the transaction; `logIndex` does not.
    const index = i + 1
    transfers.push({ txHash, index, toAddress, currency: TOKEN_LABEL, amount: log.word.toString() })
  }
  return transfers
}

/** The receiver of a transfer of the token; null for any other log. */
function receiverOf({ address, topics }: EthereumLog, token: string): string | null {
  const [event, , receiver] = topics
  if (address !== token || event !== TRANSFER_TOPIC || topics.length !== TRANSFER_TOPICS) return null
  return receiver?.startsWith(ADDRESS_PADDING) === true ? `0x${receiver.slice(ADDRESS_PADDING.length)}` : null
}
