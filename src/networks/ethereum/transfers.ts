import { formatAmount, NATIVE_LABEL } from '../../domain/amount.js'
import type { ObservedBlock, ObservedTransfer } from '../../domain/block.js'
import { wholeSecond } from '../../domain/received-at.js'
import { BadAnswer, demand } from '../node/answer.js'
import type { EthereumBlock, NativePayment } from './block.js'
import { proves } from './bloom.js'
import type { EthereumFilter } from './filter.js'
import type { Receipts } from './receipts.js'
import type { LoggedTransfer } from './told-log.js'
import { hashIn } from './values.js'

/** The header's filter has an entry that no log explains. */
export class UnexplainedFilter extends BadAnswer {}

/** A block has more receipts than transactions: some of these may be missing, or the node tells of others too. */
export class ExcessReceipts extends BadAnswer {}

/** A receipt tells of a transfer to us that the block or its header does not know of. */
export class DoubtfulTransfer extends BadAnswer {}

/**
 * The transfers of a block with all its receipts. Throws `BadAnswer` unless each transaction has a receipt and the logs
 * explain the filter of the header, which together prove that nothing is missing; and when a transfer to us is in doubt.
 * `isCounted`: the node has said that the block has as many transactions as it told.
 */
export function observeWhole(
  block: EthereumBlock,
  receipts: Receipts,
  filter: EthereumFilter,
  isCounted = false,
): ObservedBlock {
  const isExcess = receipts.length > block.txHashes.length && !isCounted
  if (isExcess) throw new ExcessReceipts('a block has more receipts than transactions')
  const places = placesOf(block, receipts)
  demand(receipts.areOf(block.hash), 'receipts are of another block')
  demand(proves(block.bloom) || !receipts.hasListLeftOut, 'a receipt has no list of logs')
  if (proves(block.bloom) && !receipts.bloom.covers(block.bloom)) {
    throw new UnexplainedFilter('the logs of a block are not those of its header')
  }
  const byPlace = new Map<number, readonly LoggedTransfer[]>()
  for (const { place, transfers } of receipts.relevant) {
    const txIndex = places.inBlock(place)
    if (txIndex === null)
      throw new DoubtfulTransfer('a receipt with a transfer to us is of no transaction of the block')
    byPlace.set(txIndex, transfers)
  }
  const found: ObservedTransfer[] = []
  const payments = new Map(block.payments.map((payment) => [payment.txIndex, payment]))
  const concerned = [...new Set([...payments.keys(), ...byPlace.keys()])].sort((a, b) => a - b)
  for (const txIndex of concerned) {
    const place = places.ofReceipt(txIndex)
    if (!didSucceed(receipts, place)) continue
    const txHash = block.txHashes.at(txIndex) ?? receipts.hashes.at(place)
    demand(txHash !== null, 'a transaction that pays us has no hash')
    const logged = byPlace.get(txIndex) ?? []
    if (logged.some((transfer) => filter.isDenied(transfer, block.bloom))) {
      throw new DoubtfulTransfer('a block has a log that its header denies')
    }
    found.push(...transfersOf(txHash, block.hash, payments.get(txIndex), logged))
  }
  return observed(block, found)
}

/**
 * The transfers of a block whose header denies every log to us, from the receipts of its payments, in order. Throws `BadAnswer`
 * for receipts that tell of more.
 */
export function observePayments(block: EthereumBlock, receipts: Receipts): ObservedBlock {
  demand(receipts.relevant.length === 0, 'a block has a log that its header denies')
  demand(receipts.areOf(block.hash), 'receipts are of another block')
  const transfers = block.payments.flatMap((payment, i) => {
    const txHash = block.txHashes.at(payment.txIndex)
    const told = receipts.hashes.at(i)
    demand(txHash !== null && (told === null || told === txHash), 'a receipt is of another transaction')
    return didSucceed(receipts, i) ? transfersOf(txHash, block.hash, payment, []) : []
  })
  return observed(block, transfers)
}

/** Whether a transaction that concerns us succeeded. Throws `BadAnswer` where its receipt does not say. */
export function didSucceed(receipts: Receipts, place: number): boolean {
  const outcome = receipts.outcomeAt(place)
  demand(outcome === 'succeeded' || outcome === 'failed', 'a receipt does not say whether its transaction succeeded')
  return outcome === 'succeeded'
}

/** A block with its transfers. */
export function observed({ height, hash, parentHash, timeMs }: EthereumBlock, transfers: readonly ObservedTransfer[]) {
  return { height, hash, parentHash, ...wholeSecond(timeMs), transfers }
}

/**
 * The transfers of a transaction that succeeded: its own value first, then those of its logs. Throws `BadAnswer` for a log of
 * a transfer to us that is not whole.
 */
export function transfersOf(
  txHash: string,
  blockHash: string,
  payment: NativePayment | undefined,
  logged: readonly LoggedTransfer[],
): readonly ObservedTransfer[] {
  const transfers: ObservedTransfer[] = []
  if (payment !== undefined) {
    const { toAddress, amount } = payment
    // An atom of an amount is 10⁻¹⁸, and so is a wei.
    transfers.push({ txHash, index: 0, toAddress, currency: NATIVE_LABEL, amount: formatAmount(amount) })
  }
  const own = payment === undefined ? undefined : logged.find((transfer) => tellsOf(transfer, payment))
  for (const transfer of logged) {
    const { place, label, toAddress, amount } = transfer
    demand(isOf(transfer, txHash, blockHash), 'a receipt has a log of another transaction or block')
    demand(amount !== null, 'a log of a transfer has no amount')
    if (transfer === own) continue
    // The place within the receipt stays the same when another block includes the transaction; `logIndex` does not.
    const index = place + 1
    const shown = label === NATIVE_LABEL ? formatAmount(amount) : amount.toString()
    transfers.push({ txHash, index, toAddress, currency: label, amount: shown })
  }
  return transfers
}

/** Whether a log of coins tells of what the transaction itself sends, which is the first movement of the transaction. */
function tellsOf({ label, from, toAddress, amount }: LoggedTransfer, payment: NativePayment): boolean {
  const isSameSender = payment.from === null || from === payment.from
  return label === NATIVE_LABEL && toAddress === payment.toAddress && amount === payment.amount && isSameSender
}

/** Whether a log is of a transaction and block, as far as it tells. */
function isOf(log: LoggedTransfer, txHash: string, blockHash: string): boolean {
  if (log.isRemoved) return false
  const [ofTransaction, ofBlock] = [hashIn(log.txHash), hashIn(log.blockHash)]
  return (ofTransaction === null || ofTransaction === txHash) && (ofBlock === null || ofBlock === blockHash)
}

/** Which receipt is of which transaction. */
interface Places {
  /** The place of a transaction's receipt. */
  ofReceipt(txIndex: number): number
  /** The place of the transaction of a receipt; null when the block does not have it. */
  inBlock(place: number): number | null
}

/** Finds the receipt of each transaction: at its place, or else by its hash. Throws `BadAnswer` unless each has one. */
function placesOf({ txHashes }: EthereumBlock, receipts: Receipts): Places {
  const count = txHashes.length
  const isAbsent = (place: number): boolean => receipts.outcomeAt(place) === 'absent'
  const isInPlace = txHashes.agreesWith(receipts.hashes, count) && !anyBelow(count, isAbsent)
  if (isInPlace) return { ofReceipt: (txIndex) => txIndex, inBlock: (place) => (place < count ? place : null) }
  demand(receipts.length >= count, 'a block has not as many receipts as transactions')
  const [findReceipt, findTransaction] = [receipts.hashes.finder(), txHashes.finder()]
  const placeOf = (txIndex: number): number | null => {
    const place = findReceipt(txHashes.at(txIndex))
    return place === null || isAbsent(place) ? null : place
  }
  demand(!anyBelow(count, (txIndex) => placeOf(txIndex) === null), 'a block has a transaction without a receipt')
  return {
    ofReceipt: (txIndex) => placeOf(txIndex) ?? 0,
    inBlock: (place) => findTransaction(receipts.hashes.at(place)),
  }
}

function anyBelow(count: number, is: (n: number) => boolean): boolean {
  for (let n = 0; n < count; n += 1) if (is(n)) return true
  return false
}
