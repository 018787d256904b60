/** What is read of a block: its head, and which of its transactions pay to us. */

import type { BlockHead } from '../../domain/block.js'
import { BadAnswer, demand } from '../node/answer.js'
import type { RpcCall } from '../node/json-rpc.js'
import { either, fields, items, scalar, type ValueOf } from '../node/json-shape.js'
import { AddressList } from './address-list.js'
import { LogsBloom, proves } from './bloom.js'
import { HashList } from './hash-list.js'
import {
  addressIn,
  hashIn,
  hashOf,
  heightOf,
  presence,
  quantityIn,
  quantityOf,
  quantityText,
  timeMsOf,
  type Value,
} from './values.js'

const BY_NUMBER = 'eth_getBlockByNumber'
/** `transactionsRoot` of a block without transactions: Keccak-256 of the RLP of nothing, or of nothing, which Hardhat writes. */
const EMPTY_ROOTS: ReadonlySet<string> = new Set([
  '0x56e81f171bcc55a6ff8345e692c0f86e5b48e01b996cadc001622fb5e363b421',
  '0xc5d2460186f7233c927e7db2dcc703c0e500b653ca82273b7bfad8045d85a470',
])
/** Some chains write no root at all, perhaps of any block. */
const NO_ROOT = `0x${'0'.repeat(64)}`
/** Receivers that are kept of one block. */
const RECEIVERS_MAX = 20_000

/** Coins that a transaction itself sends to an address, if the transaction succeeded. */
export interface NativePayment {
  /** The place of the transaction in its block. */
  readonly txIndex: number
  readonly from: string | null
  readonly toAddress: string
  /** Wei, more than 0. */
  readonly amount: bigint
}

/** The part of a full block that is kept. */
export interface EthereumBlock extends BlockHead {
  /** The filter of its logs; null when the node gives none. */
  readonly bloom: LogsBloom | null
  /** The hashes of all its transactions, in order. */
  readonly txHashes: HashList
  /** In the order of the block. */
  readonly payments: readonly NativePayment[]
  /** Transactions that are not told in a form that says whether they pay us. */
  readonly doubtful: readonly Doubt[]
  /** Everybody to whom one of its transactions sends coins; null where that was not asked for, or they are too many. */
  readonly receivers: AddressList | null
  /** Whether the header proves which logs the block can have, or that it has no transactions. */
  readonly isProven: boolean
}

/** A transaction that may pay us. */
export interface Doubt {
  readonly txIndex: number
  /** Whether nothing is told of it but its hash. */
  readonly isUntold: boolean
}

const HEAD = { number: scalar, hash: scalar, parentHash: scalar, timestamp: scalar } as const

/** What is read of a header. */
export const headShape = fields(HEAD)
/** A header as a node tells it, not yet checked. */
export type ToldHead = ValueOf<typeof headShape>

/** What is read of a transaction. */
export const transactionShape = fields({ hash: scalar, from: scalar, to: either(scalar, presence), value: scalar })
/** A transaction as a node tells it, not yet checked. */
export type ToldTransaction = ValueOf<typeof transactionShape>

/** Nodes that tell of no receiver write it in one of these ways. */
const NOBODY: readonly unknown[] = [null, undefined, '', '0x']

/** A transaction that sends coins, as a node tells it. */
interface ToldPayment {
  readonly txIndex: number
  readonly from: Value
  readonly toAddress: string
  readonly value: Value
}

/** What a transaction sends: nothing, or a payment. `doubtful`: it is not told in a form that says whether it may pay us. */
function paymentIn(told: ToldTransaction | Value, txIndex: number): ToldPayment | 'none' | 'doubtful' {
  if (typeof told !== 'object' || told === null) return 'doubtful'
  const { from, to, value } = told
  // A transaction without a receiver creates a contract.
  if (NOBODY.includes(to)) return isUntold(told) ? 'doubtful' : 'none'
  const amount = value === '0x0' ? 0n : quantityIn(value)
  if (amount === 0n) return 'none'
  const toAddress = typeof to === 'string' ? addressIn(to) : null
  // An amount for a receiver of another form may be for us. What has neither form is no payment.
  if (toAddress === null) return amount === null ? 'none' : 'doubtful'
  return { txIndex, from, toAddress, value }
}

function isUntold(told: ToldTransaction | Value): boolean {
  return typeof told !== 'object' || told === null || (told.from === undefined && told.value === undefined)
}

/** The transactions of a block: all hashes, and the payments to addresses that are kept. */
class ToldTransactions {
  hashes = new HashList()
  readonly payments: ToldPayment[] = []
  readonly doubtful: Doubt[] = []
  /** Whether there were more payments than are kept. Then nothing is. */
  isCut = false
  readonly receivers: AddressList | null

  constructor(
    private readonly isKept: (address: string) => boolean,
    private readonly paymentsMax: number,
    hasReceivers: boolean,
  ) {
    this.receivers = hasReceivers ? new AddressList(RECEIVERS_MAX) : null
  }

  /** Some nodes tell hashes only. */
  take(told: ToldTransaction | Value, txIndex: number): void {
    if (this.isCut) return
    this.hashes.set(txIndex, typeof told === 'object' ? told?.hash : told)
    const payment = paymentIn(told, txIndex)
    if (payment === 'doubtful') this.doubtful.push({ txIndex, isUntold: isUntold(told) })
    if (typeof payment === 'string') return
    this.receivers?.add(payment.toAddress)
    if (!this.isKept(payment.toAddress)) return
    if (this.payments.length < this.paymentsMax) this.payments.push(payment)
    else {
      this.isCut = true
      this.hashes = new HashList()
    }
  }

  end(): this {
    return this
  }
}

/** How much is read of a block. */
interface BlockReading {
  /** Of more payments to addresses that are kept, none is told. */
  readonly paymentsMax?: number
  /** Whether everybody is noted who is paid. */
  readonly hasReceivers?: boolean
}

/** What is read of a full block. */
export function blockShape(
  isKept: (address: string) => boolean,
  { paymentsMax = Number.POSITIVE_INFINITY, hasReceivers = false }: BlockReading = {},
) {
  return fields({
    ...HEAD,
    logsBloom: scalar,
    transactionsRoot: scalar,
    gasUsed: scalar,
    transactions: items(
      either(transactionShape, scalar),
      () => new ToldTransactions(isKept, paymentsMax, hasReceivers),
    ),
  })
}
/** A full block as a node tells it, not yet checked. */
export type ToldBlock = ValueOf<ReturnType<typeof blockShape>>

/** Asks for the block of a height with its transactions. */
export function blockCall(height: number): RpcCall {
  return { method: BY_NUMBER, params: [quantityText(height), true] }
}

/** Asks for the block of a height without them. */
export function headerCall(height: number): RpcCall {
  return { method: BY_NUMBER, params: [quantityText(height), false] }
}

/** Checks a header. Throws `BadAnswer`. */
export function readHead(head: ToldHead): BlockHead {
  demand(head !== null && head !== undefined, 'a block: not an object')
  return {
    height: heightOf(head.number, 'number of a block'),
    hash: hashOf(head.hash, 'hash of a block'),
    parentHash: hashOf(head.parentHash, 'parentHash of a block'),
    timeMs: timeMsOf(head.timestamp, 'timestamp of a block'),
  }
}

/** Checks the block of a height. What is said of transactions that pay nobody of ours is not judged. */
export function readBlock(told: ToldBlock, height: number, isWatched: (address: string) => boolean): EthereumBlock {
  const head = readHead(told)
  demand(told !== null && told !== undefined && head.height === height, 'a block has another number than was asked for')
  // Some nodes leave out lists that are empty, or write null.
  const transactions = told.transactions ?? new ToldTransactions(isWatched, 0, true)
  demand(!transactions.isCut, 'a block has more payments than are kept')
  const { hashes: txHashes, receivers, doubtful } = transactions
  const bloom = LogsBloom.of(told.logsBloom)
  const isProven = txHashes.length === 0 ? isProvenEmpty(told, bloom) : proves(bloom)
  const payments = transactions.payments.filter(({ toAddress }) => isWatched(toAddress)).map(readPayment)
  const known = payments.map(({ txIndex }) => txHashes.at(txIndex)).filter((hash) => hash !== null)
  demand(new Set(known).size === known.length, 'a block has a transaction twice')
  const isCut = receivers?.isCut === true
  return { ...head, bloom, txHashes, payments, doubtful, receivers: isCut ? null : receivers, isProven }
}

/** A block whose doubtful transactions were told once more, one by one, in their order. */
export function withoutDoubt(
  block: EthereumBlock,
  told: readonly ToldTransaction[],
  isWatched: (address: string) => boolean,
): EthereumBlock {
  const found = block.doubtful.flatMap(({ txIndex }, i) => {
    const each = told[i]
    demand(each !== null && each !== undefined, 'a transaction of a block is missing')
    const [known, hash] = [block.txHashes.at(txIndex), hashIn(each.hash)]
    demand(known === null || hash === null || known === hash, 'a transaction is another one than was asked for')
    if (known === null) block.txHashes.set(txIndex, hash)
    const payment = paymentIn(each, txIndex)
    // What is told twice in another form than an address is none of ours.
    return typeof payment === 'string' || !isWatched(payment.toAddress) ? [] : [readPayment(payment)]
  })
  const payments = [...block.payments, ...found].sort((a, b) => a.txIndex - b.txIndex)
  return { ...block, payments, doubtful: [] }
}

function readPayment({ txIndex, from, toAddress, value }: ToldPayment): NativePayment {
  return { txIndex, from: addressIn(from), toAddress, amount: quantityOf(value, 'value of a transaction') }
}

/**
 * A node that has the header but not the body may answer without transactions. A root of no transactions proves that there
 * are none. Chains write it in other ways too; then a block without gas and without logs is believed, and so is one without a
 * root. False for one that is only believed.
 */
function isProvenEmpty(
  told: { readonly transactionsRoot: Value; readonly gasUsed: Value },
  bloom: LogsBloom | null,
): boolean {
  const root = hashIn(told.transactionsRoot)
  if (root !== null && EMPTY_ROOTS.has(root)) return true
  const isIdle = quantityIn(told.gasUsed) === 0n && (bloom === null || bloom.isEmpty || bloom.isFull)
  if (root !== NO_ROOT && !isIdle) throw new BadAnswer('a block comes without its transactions')
  return false
}
