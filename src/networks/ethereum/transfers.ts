import { formatAmount, NATIVE_LABEL, TOKEN_LABEL } from '../../domain/amount.js'
import type { ObservedBlock, ObservedTransfer } from '../../domain/block.js'
import { BadAnswer } from '../node/node-failure.js'
import type { EthereumBlock } from './block.js'
import { LogsBloom } from './bloom.js'
import type { EthereumFilter } from './filter.js'
import { tokenTransfer } from './log.js'
import type { EthereumReceipt } from './receipt.js'

/**
 * The transfers of a block with all its receipts. Throws `BadAnswer` unless there is one for each transaction, in
 * order, and their logs together make the Bloom filter of the header.
 */
export function observeWhole(
  block: EthereumBlock,
  receipts: readonly EthereumReceipt[],
  filter: EthereumFilter,
): ObservedBlock {
  if (receipts.length !== block.txHashes.length) throw new BadAnswer('a block has not as many receipts as transactions')
  const logs = receipts.flatMap((receipt) => receipt.logs)
  if (!logs.every(({ logIndex }, i) => logIndex === i)) throw new BadAnswer('the logs of a block are not consecutive')
  const entries = logs.flatMap(({ address, topics }) => [address, ...topics])
  if (!LogsBloom.over(entries).equals(block.bloom))
    throw new BadAnswer('the logs of a block are not those of its header')
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
  if (observed.transfers.some(({ index }) => index > 0)) throw new BadAnswer('a block has a log that its header denies')
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
    if (!isOfBlock || receipt.txHash !== block.txHashes[txIndex]) {
      throw new BadAnswer('a receipt is of another block or transaction')
    }
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
    const transfer = tokenTransfer(log, filter.token)
    if (transfer === null || !filter.isWatched(transfer.toAddress)) continue
    // The position within the receipt stays the same when another block includes the transaction; `logIndex` does not.
    const index = i + 1
    const { toAddress, amount } = transfer
    transfers.push({ txHash, index, toAddress, currency: TOKEN_LABEL, amount: amount.toString() })
  }
  return transfers
}
