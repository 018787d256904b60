/** Checked answers of Ethereum nodes: blocks and receipts. */

import type { BlockHead } from '../../domain/block.js'
import { demand, listOf, objectOf } from '../node/answer.js'
import { LogsBloom } from './bloom.js'
import { addressOf, countOf, dataOf, hashOf, quantityOf } from './values.js'

const MS_PER_SECOND = 1000
/** `transactionsRoot` of a block without transactions: keccak-256 of the RLP of nothing. */
const EMPTY_ROOT = '0x56e81f171bcc55a6ff8345e692c0f86e5b48e01b996cadc001622fb5e363b421'
const WORD_LENGTH = 2 + 64
const TOPICS_MAX = 4

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

/** The outcome of a transaction in a block. */
export interface EthereumReceipt {
  readonly txHash: string
  readonly txIndex: number
  readonly blockHash: string
  readonly succeeded: boolean
  /** All logs of the transaction, in order. */
  readonly logs: readonly EthereumLog[]
  /** Their filter, as the node gives it. */
  readonly bloom: LogsBloom
}

/** A log, with its position and transaction. */
export interface EthereumLog {
  readonly address: string
  readonly topics: readonly string[]
  /** The data as a number when they are 32 bytes; null otherwise. */
  readonly word: bigint | null
  readonly blockHash: string
  readonly height: number
  readonly txHash: string
  readonly txIndex: number
  /** The index within the block. */
  readonly logIndex: number
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
  demand(head.height === height, 'a block has another number than was asked for')
  const txHashes: string[] = []
  const payments: NativePayment[] = []
  for (const [txIndex, each] of listOf(block['transactions'], 'transactions').entries()) {
    const transaction = objectOf(each, 'a transaction')
    const { to, value: amount } = transaction
    txHashes.push(hashOf(transaction['hash'], 'hash of a transaction'))
    const isOfBlock = hashOf(transaction['blockHash'], 'blockHash of a transaction') === head.hash
    const isInPlace = countOf(transaction['transactionIndex'], 'transactionIndex') === txIndex
    demand(isOfBlock && isInPlace, 'a block has a transaction of another block or place')
    const wei = quantityOf(amount, 'value of a transaction')
    // A transaction without a receiver creates a contract.
    if (to === null || to === undefined) continue
    const toAddress = addressOf(to, 'to of a transaction')
    if (wei > 0n && isWatched(toAddress)) payments.push({ txIndex, toAddress, amount: wei })
  }
  demand(new Set(txHashes).size === txHashes.length, 'a block has a transaction twice')
  // A node that has the header but not the body may answer so.
  const isEmpty = hashOf(block['transactionsRoot'], 'transactionsRoot') === EMPTY_ROOT
  demand(isEmpty === (txHashes.length === 0), 'a block comes without its transactions')
  const bloom = LogsBloom.of(dataOf(block['logsBloom'], 'logsBloom'))
  return { ...head, bloom, txHashes, payments }
}

export function readReceipt(value: unknown): EthereumReceipt {
  const receipt = objectOf(value, 'a receipt')
  const txHash = hashOf(receipt['transactionHash'], 'transactionHash of a receipt')
  const txIndex = countOf(receipt['transactionIndex'], 'transactionIndex of a receipt')
  const blockHash = hashOf(receipt['blockHash'], 'blockHash of a receipt')
  const status = countOf(receipt['status'], 'status of a receipt')
  demand(status <= 1, 'status of a receipt has not the right form')
  const logs = listOf(receipt['logs'], 'logs of a receipt').map(readLog)
  for (const log of logs) {
    const isOfTransaction = log.txHash === txHash && log.txIndex === txIndex && log.blockHash === blockHash
    demand(isOfTransaction, 'a receipt has a log of another transaction or block')
  }
  demand(status === 1 || logs.length === 0, 'a failed transaction has logs')
  const isInOrder = logs.every(({ logIndex }, i) => logIndex === (logs[0]?.logIndex ?? 0) + i)
  demand(isInOrder, 'the logs of a receipt are not consecutive')
  const filter = receipt['logsBloom']
  const bloom =
    filter === undefined
      ? LogsBloom.over(logs.flatMap(({ address, topics }) => [address, ...topics]))
      : LogsBloom.of(dataOf(filter, 'logsBloom of a receipt'))
  return { txHash, txIndex, blockHash, succeeded: status === 1, logs, bloom }
}

export function readLog(value: unknown): EthereumLog {
  const log = objectOf(value, 'a log')
  demand(log['removed'] !== true, 'a log was removed by a reorganisation')
  const data = dataOf(log['data'], 'the data of a log')
  const topics = listOf(log['topics'], 'topics')
  demand(topics.length <= TOPICS_MAX, 'a log has too many topics')
  return {
    address: addressOf(log['address'], 'the address of a log'),
    topics: topics.map((topic) => hashOf(topic, 'a topic')),
    word: data.length === WORD_LENGTH ? BigInt(data) : null,
    blockHash: hashOf(log['blockHash'], 'blockHash of a log'),
    height: countOf(log['blockNumber'], 'blockNumber of a log'),
    txHash: hashOf(log['transactionHash'], 'transactionHash of a log'),
    txIndex: countOf(log['transactionIndex'], 'transactionIndex of a log'),
    logIndex: countOf(log['logIndex'], 'logIndex'),
  }
}
