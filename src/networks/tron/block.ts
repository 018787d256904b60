/**
 * Checked answers of TRON nodes: `getblockbynum`, `getblockbylimitnext`, `gettransactioninfobyblocknum`, and the
 * transfers in them.
 */

import { formatAmount, NATIVE_LABEL, TOKEN_LABEL } from '../../domain/amount.js'
import type { BlockHead, ObservedTransfer, WatchedAddresses } from '../../domain/block.js'
import { demand, objectOf, textOf } from '../node/answer.js'
import { addressOfAccount, addressOfHex, PREFIXED_ACCOUNT } from './address.js'
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
/** Keccak-256 of `Transfer(address,address,uint256)`. */
const TRANSFER_TOPIC = 'ddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef'
/** The event, the sender, the receiver. */
const TRANSFER_TOPICS = 3
const ACCOUNT = /^[0-9a-f]{40}$/
const WORD = /^[0-9a-f]{64}$/
/** An account as a word: 12 zero bytes and its 20. */
const ACCOUNT_WORD = /^0{24}[0-9a-f]{40}$/
const ACCOUNT_DIGITS = 40
/** An amount of TRX is an int64 of sun, 10⁻⁶ TRX. */
const SUN_MAX = 2n ** 63n - 1n
const ATOMS_PER_SUN = 10n ** 12n

export interface TronBlock extends BlockHead {
  readonly transactions: readonly TronTransaction[]
  /** True when the header also says that there are no transactions: then there are no receipts to read. */
  readonly isEmpty: boolean
}

interface TronTransaction {
  readonly id: string
  /** `SUCCESS`, or how it failed; null when the node omits it. */
  readonly result: string | null
  /** The parameters of a `TransferContract`, as the node wrote them; null for every other type. */
  readonly transfer: Readonly<Record<string, unknown>> | null
}

/** A transaction with its effects. */
interface SettledTransaction extends TronTransaction {
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

type Payment = Omit<ObservedTransfer, 'txHash'>

/**
 * The transfers of a block's transactions to watched addresses, in order: TRX by `TransferContract`, and the token's
 * logs (`token` is its account, 40 hex digits), whatever kind of transaction emitted them. TRC-10 units are neither.
 * TRX that a contract sends appears in neither: a documented limit. Throws `BadAnswer` when the parts contradict each
 * other.
 */
export function transfersOf(
  transactions: readonly SettledTransaction[],
  token: string,
  watched: WatchedAddresses,
): ObservedTransfer[] {
  return transactions.flatMap((transaction) => {
    const what = `transaction ${transaction.id}`
    const payments = [...nativePayments(transaction, what), ...tokenPayments(transaction, token, what)]
    const ours = payments.filter(({ toAddress }) => watched.has(toAddress))
    if (ours.length === 0 || !isSuccessful(transaction, what)) return []
    return ours.map((payment) => ({ txHash: transaction.id, ...payment }))
  })
}

function nativePayments({ transfer }: SettledTransaction, what: string): Payment[] {
  if (transfer === null) return []
  const toAddress = addressOfHex(textOf(transfer['to_address'], PREFIXED_ACCOUNT, what))
  const sun = integerOf(transfer['amount'], what)
  demand(sun <= SUN_MAX, `${what}: more TRX than an int64 holds`)
  if (sun === 0n) return []
  const amount = formatAmount(sun * ATOMS_PER_SUN)
  return [{ index: 0, toAddress, currency: NATIVE_LABEL, amount }]
}

function tokenPayments({ logs }: SettledTransaction, token: string, what: string): Payment[] {
  return logs.flatMap((entry, ordinal) => {
    const log = objectOf(entry, what)
    const topics = repeatedOf(log['topics'], what)
    if (textOf(log['address'], ACCOUNT, what) !== token || topics[0] !== TRANSFER_TOPIC) return []
    demand(topics.length === TRANSFER_TOPICS, `${what}: not a transfer of a token`)
    const account = textOf(topics[2], ACCOUNT_WORD, what).slice(-ACCOUNT_DIGITS)
    const raw = BigInt(`0x${textOf(log['data'], WORD, what)}`)
    if (raw === 0n) return []
    return [{ index: ordinal + 1, toAddress: addressOfAccount(account), currency: TOKEN_LABEL, amount: String(raw) }]
  })
}

/** Whether a transaction succeeded. The block says so, and the receipt of a contract must agree. */
function isSuccessful({ result, contractResult, logs }: SettledTransaction, what: string): boolean {
  const agrees = contractResult === null ? logs.length === 0 : contractResult === result
  demand(result !== null && agrees, `${what}: no result, or two`)
  return result === 'SUCCESS'
}
