/** Checked answers of TRON nodes: `getblockbynum`, `getblockbylimitnext`, `gettransactioninfobyblocknum`. */

import type { BlockHead } from '../../domain/block.js'
import { demand, objectOf, textOf } from '../node/answer.js'
import { integerOf, repeatedOf } from './values.js'

/** The id of a block or transaction. */
const ID = /^[0-9a-f]{64}$/
/** The name of an enumeration's value. */
const NAME = /^\w{1,64}$/
/** Leading digits of a block's id that are its height. */
const HEIGHT_DIGITS = 16
/** Times of deposits have 48 bits. */
const TIME_MAX_MS = 2 ** 48 - 1
/** The root of an empty tree of transactions. */
const EMPTY_ROOT = '0'.repeat(64)

export interface TronBlock extends BlockHead {
  readonly transactions: readonly TronTransaction[]
  /** True when the header also says that there are no transactions: then there are no receipts to read. */
  readonly isEmpty: boolean
}

export interface TronTransaction {
  readonly id: string
  /** `SUCCESS`, or how it failed; null when the node omits it. */
  readonly result: string | null
  /** The parameters of a `TransferContract`, as the node wrote them; null for every other type. */
  readonly transfer: Readonly<Record<string, unknown>> | null
}

/** A transaction with its effects. */
export interface SettledTransaction extends TronTransaction {
  /** The result in the receipt; null for transactions that run no contract. */
  readonly contractResult: string | null
  /** As the node wrote them, in the order of emission. */
  readonly logs: readonly unknown[]
}

/** The id of the block in an answer. */
export function readBlockId(answer: unknown): string {
  return textOf(objectOf(answer, 'a block')['blockID'], ID, 'the id of a block')
}

/** The block that a node calls its newest, at any height. */
export function readNewestBlock(answer: unknown): TronBlock {
  const what = 'the newest block'
  const height = Number(integerOf(headerOf(answer, what)['number'], what))
  demand(Number.isSafeInteger(height), `${what}: no height`)
  return readBlock(answer, height)
}

/** The block at a height. Throws `BadAnswer` when the answer is of another one or contradicts itself. */
export function readBlock(answer: unknown, height: number): TronBlock {
  const what = `block ${height}`
  const header = headerOf(answer, what)
  demand(integerOf(header['number'], what) === BigInt(height), `${what}: the node answered with another number`)
  const hash = readBlockId(answer)
  const parentHash = textOf(header['parentHash'], ID, what)
  demand(heightOf(hash) === BigInt(height), `${what}: its id is of another height`)
  demand(height === 0 || heightOf(parentHash) === BigInt(height - 1), `${what}: its parent is of another height`)
  const timeMs = Number(integerOf(header['timestamp'], what))
  demand(timeMs <= TIME_MAX_MS && (timeMs > 0 || height === 0), `${what}: no time`)
  const transactions = repeatedOf(objectOf(answer, what)['transactions'], what).map((entry) =>
    readTransaction(entry, what),
  )
  demand(new Set(transactions.map(({ id }) => id)).size === transactions.length, `${what}: a transaction twice`)
  const root = header['txTrieRoot']
  const isEmpty = root === EMPTY_ROOT
  // Nodes can return headers alone; a block whose transactions are omitted must not look empty.
  demand(root === undefined || isEmpty === (transactions.length === 0), `${what}: its transactions are left out`)
  return { height, hash, parentHash, timeMs, transactions, isEmpty }
}

/**
 * The transactions of a block with their receipts, in the order of the block. Throws `BadAnswer` unless the receipts
 * are of exactly these transactions in this block: a node has them a little later than the block itself.
 */
export function readReceipts(answer: unknown, block: TronBlock): readonly SettledTransaction[] {
  const what = `receipts of block ${block.height}`
  const entries = repeatedOf(answer, what)
  demand(entries.length === block.transactions.length, `${what}: not as many as transactions`)
  const receipts = new Map(entries.map((entry) => readReceipt(entry, block, what)))
  return block.transactions.map((transaction) => {
    const receipt = receipts.get(transaction.id)
    demand(receipt !== undefined, `${what}: none of ${transaction.id}`)
    return { ...transaction, ...receipt }
  })
}

function readReceipt(
  entry: unknown,
  block: TronBlock,
  what: string,
): readonly [id: string, Pick<SettledTransaction, 'contractResult' | 'logs'>] {
  const info = objectOf(entry, what)
  demand(integerOf(info['blockNumber'], what) === BigInt(block.height), `${what}: one is of another height`)
  demand(integerOf(info['blockTimeStamp'], what) === BigInt(block.timeMs), `${what}: one is of another time`)
  const { result } = objectOf(info['receipt'] ?? {}, what)
  const contractResult = result === undefined ? null : textOf(result, NAME, what)
  return [textOf(info['id'], ID, what), { contractResult, logs: repeatedOf(info['log'], what) }]
}

function readTransaction(entry: unknown, what: string): TronTransaction {
  const transaction = objectOf(entry, what)
  const results = repeatedOf(transaction['ret'], what)
  const contracts = repeatedOf(objectOf(transaction['raw_data'], what)['contract'], what)
  // A node omits a contract of a type that it does not know; the protocol allows one at most.
  demand(contracts.length <= 1 && results.length <= 1, `${what}: a transaction of several contracts`)
  const result = results.length === 0 ? undefined : objectOf(results[0], what)['contractRet']
  return {
    id: textOf(transaction['txID'], ID, what),
    result: result === undefined ? null : textOf(result, NAME, what),
    transfer: contracts.length === 0 ? null : readTransfer(contracts[0], what),
  }
}

function readTransfer(entry: unknown, what: string): Readonly<Record<string, unknown>> | null {
  const contract = objectOf(entry, what)
  if (textOf(contract['type'], NAME, what) !== 'TransferContract') return null
  return objectOf(objectOf(contract['parameter'], what)['value'], what)
}

function headerOf(answer: unknown, what: string): Readonly<Record<string, unknown>> {
  return objectOf(objectOf(objectOf(answer, what)['block_header'], what)['raw_data'], what)
}

function heightOf(blockId: string): bigint {
  return BigInt(`0x${blockId.slice(0, HEIGHT_DIGITS)}`)
}
