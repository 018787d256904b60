import { formatAmount } from '../domain/amount.js'
import type { ObservedBlock, ObservedTransfer } from '../domain/block.js'
import { NATIVE_LABEL, TOKEN_LABEL } from '../domain/currency.js'
import type { EthereumBlock } from './ethereum-block.js'
import { LogsBloom } from './ethereum-bloom.js'
import type { EthereumFilter } from './ethereum-filter.js'
import { type EthereumLog, tokenTransfer } from './ethereum-log.js'
import type { EthereumReceipt } from './ethereum-receipt.js'
import { BadAnswer } from './node-failure.js'

/** What a node found in a block by `eth_getLogs`: all logs that meet the conditions of the filter. */
export interface FoundLogs {
  readonly logs: readonly EthereumLog[]
  /** Whether some may be missing, so that the receipts of the whole block are the answer. */
  readonly isDoubtful: boolean
}

/** Judges the logs that a node found in a block. */
export function judgeLogs(block: EthereumBlock, logs: readonly EthereumLog[], filter: EthereumFilter): FoundLogs {
  for (const log of logs) {
    const { blockHash, height, txHash, txIndex } = log
    if (blockHash !== block.hash || height !== block.height || block.txHashes[txIndex] !== txHash) {
      throw new BadAnswer('a log is not of the block')
    }
  }
  if (new Set(logs.map(({ logIndex }) => logIndex)).size !== logs.length) throw new BadAnswer('a log was told twice')
  if (filter.isDenied(block) && logs.some((log) => tokenTransfer(log, filter.token) !== null)) {
    throw new BadAnswer('a block has a log that it denies')
  }
  return { logs, isDoubtful: filter.isDoubtful(block, logs) }
}

/** The places of the transactions whose receipts decide what a block transfers: all of them in case of doubt. */
export function decisiveTransactions(
  block: EthereumBlock,
  found: FoundLogs,
  filter: EthereumFilter,
): readonly number[] {
  if (found.isDoubtful) return [...block.txHashes.keys()]
  const paying = block.payments.map(({ txIndex }) => txIndex)
  const logging = found.logs.filter(filter.matches).map(({ txIndex }) => txIndex)
  return [...new Set([...paying, ...logging])]
}

/**
 * The block with its transfers, from the receipts of its decisive transactions. Throws `BadAnswer` when block, logs and
 * receipts do not fit together.
 */
export function observedBlock(
  block: EthereumBlock,
  found: FoundLogs,
  receipts: readonly EthereumReceipt[],
  filter: EthereumFilter,
): ObservedBlock {
  const byPlace = new Map(receipts.map((receipt) => [receipt.txIndex, receipt]))
  for (const txIndex of decisiveTransactions(block, found, filter)) {
    const receipt = byPlace.get(txIndex)
    if (receipt?.txHash !== block.txHashes[txIndex] || receipt?.blockHash !== block.hash) {
      throw new BadAnswer('a receipt is missing or of another block')
    }
  }
  const ordered = [...byPlace.values()].sort((a, b) => a.txIndex - b.txIndex)
  if (ordered.length !== receipts.length) throw new BadAnswer('a receipt was told twice')
  if (found.isDoubtful) assertComplete(block, ordered)
  assertSameLogs(found, ordered, filter)
  const transfers = ordered.flatMap((receipt) => transfersOf(receipt, block, filter))
  const { height, hash, parentHash, timeMs } = block
  return { height, hash, parentHash, timeMs, transfers }
}

/** All receipts of a block together make the filter of its header. */
function assertComplete(block: EthereumBlock, receipts: readonly EthereumReceipt[]): void {
  const logs = receipts.flatMap((receipt) => receipt.logs)
  if (!logs.every(({ logIndex }, i) => logIndex === i)) throw new BadAnswer('the logs of a block are not consecutive')
  const entries = logs.flatMap(({ address, topics }) => [address, ...topics])
  if (!LogsBloom.over(entries).equals(block.bloom)) throw new BadAnswer('the receipts of a block are not complete')
}

/** The logs that were found and those of the receipts tell the same transfers, but for what was missing in case of doubt. */
function assertSameLogs(found: FoundLogs, receipts: readonly EthereumReceipt[], filter: EthereumFilter): void {
  const inReceipts = receipts.flatMap((receipt) => receipt.logs).filter(filter.matches)
  const told = found.logs.filter(filter.matches)
  const missing = new Map(inReceipts.map((log) => [log.logIndex, textOf(log)]))
  for (const log of told) {
    if (missing.get(log.logIndex) !== textOf(log)) throw new BadAnswer('a log is not in its receipt')
    missing.delete(log.logIndex)
  }
  if (missing.size > 0 && !found.isDoubtful) throw new BadAnswer('a log of a receipt was not found')
}

function textOf({ txHash, topics, word }: EthereumLog): string {
  return [txHash, ...topics, word].join()
}

/** What a transaction transfers to watched addresses: its own value first, then the logs of its receipt. */
function transfersOf(receipt: EthereumReceipt, block: EthereumBlock, filter: EthereumFilter): ObservedTransfer[] {
  if (!receipt.succeeded) return []
  const { txHash } = receipt
  const transfers: ObservedTransfer[] = []
  const payment = block.payments.find(({ txIndex }) => txIndex === receipt.txIndex)
  if (payment !== undefined) {
    const { toAddress, amount } = payment
    // Atoms of an amount are 10⁻¹⁸, and so is a wei.
    transfers.push({ txHash, index: 0, toAddress, currency: NATIVE_LABEL, amount: formatAmount(amount) })
  }
  for (const [i, log] of receipt.logs.entries()) {
    const transfer = tokenTransfer(log, filter.token)
    if (transfer === null || !filter.isWatched(transfer.toAddress)) continue
    // The place within the receipt stays the same when another block includes the transaction; `logIndex` does not.
    const index = i + 1
    const { toAddress, amount } = transfer
    transfers.push({ txHash, index, toAddress, currency: TOKEN_LABEL, amount: amount.toString() })
  }
  return transfers
}
