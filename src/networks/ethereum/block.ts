import type { BlockHead } from '../../domain/block.js'
import { BadAnswer } from '../node/node-failure.js'
import { listOf, objectOf } from '../node/values.js'
import { LogsBloom } from './bloom.js'
import { addressOf, countOf, dataOf, hashOf, quantityOf } from './values.js'

const MS_PER_SECOND = 1000
/** `transactionsRoot` of a block without transactions: keccak-256 of the RLP of nothing. */
const EMPTY_ROOT = '0x56e81f171bcc55a6ff8345e692c0f86e5b48e01b996cadc001622fb5e363b421'

/** Ether that a transaction itself sends to a watched address, if the transaction succeeded. */
export interface NativePayment {
  readonly txIndex: number
  readonly toAddress: string
  /** Wei, more than 0. */
  readonly amount: bigint
}

/** The part of a full block that is kept. */
export interface EthereumBlock extends BlockHead {
  readonly bloom: LogsBloom
  /** The hashes of all its transactions, in order. */
  readonly txHashes: readonly string[]
  readonly payments: readonly NativePayment[]
}

/** Reads a header, with its transactions or only their hashes. */
export function readHead(value: unknown): BlockHead {
  const head = objectOf(value, 'a block')
  return {
    height: countOf(head['number'], 'number of a block'),
    hash: hashOf(head['hash'], 'hash of a block'),
    parentHash: hashOf(head['parentHash'], 'parentHash of a block'),
    timeMs: countOf(head['timestamp'], 'timestamp of a block') * MS_PER_SECOND,
  }
}

/** Reads the block of a height with its transactions. */
export function readBlock(value: unknown, height: number, isWatched: (address: string) => boolean): EthereumBlock {
  const block = objectOf(value, 'a block')
  const head = readHead(block)
  if (head.height !== height) throw new BadAnswer('a block has another number than was asked for')
  const txHashes: string[] = []
  const payments: NativePayment[] = []
  for (const [txIndex, each] of listOf(block['transactions'], 'transactions').entries()) {
    const transaction = objectOf(each, 'a transaction')
    const { to, value: amount } = transaction
    txHashes.push(hashOf(transaction['hash'], 'hash of a transaction'))
    if (
      hashOf(transaction['blockHash'], 'blockHash of a transaction') !== head.hash ||
      countOf(transaction['transactionIndex'], 'transactionIndex') !== txIndex
    ) {
      throw new BadAnswer('a block has a transaction of another block or place')
    }
    const wei = quantityOf(amount, 'value of a transaction')
    // A transaction without a receiver creates a contract.
    if (to === null || to === undefined) continue
    const toAddress = addressOf(to, 'to of a transaction')
    if (wei > 0n && isWatched(toAddress)) payments.push({ txIndex, toAddress, amount: wei })
  }
  if (new Set(txHashes).size !== txHashes.length) throw new BadAnswer('a block has a transaction twice')
  // A node that has the header but not the body may answer so.
  const isEmpty = hashOf(block['transactionsRoot'], 'transactionsRoot') === EMPTY_ROOT
  if (isEmpty !== (txHashes.length === 0)) throw new BadAnswer('a block comes without its transactions')
  const bloom = LogsBloom.of(dataOf(block['logsBloom'], 'logsBloom'))
  return { ...head, bloom, txHashes, payments }
}
