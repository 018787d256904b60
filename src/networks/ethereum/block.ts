/** What is read of a block: its head, and which of its transactions pay to us. */

import type { BlockHead } from '../../domain/block.js'
import { BadAnswer, demand } from '../node/answer.js'
import { either, fields, items, scalar, type ValueOf } from '../node/json-shape.js'
import { LogsBloom } from './bloom.js'
import { HashList } from './hash-list.js'
import {
  addressIn,
  hashIn,
  hashOf,
  heightOf,
  presence,
  quantityIn,
  quantityOf,
  timeMsOf,
  type Value,
} from './values.js'

/**
 * `transactionsRoot` of a block without transactions: Keccak-256 of the RLP of nothing, the Keccak-256 of nothing, which Hardhat
 * writes, and nothing at all.
 */
const EMPTY_ROOTS: ReadonlySet<string> = new Set([
  '0x56e81f171bcc55a6ff8345e692c0f86e5b48e01b996cadc001622fb5e363b421',
  '0xc5d2460186f7233c927e7db2dcc703c0e500b653ca82273b7bfad8045d85a470',
  `0x${'0'.repeat(64)}`,
])

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

/** What a transaction sends to us: nothing, or a payment. `doubtful`: it is not told in a form that says so. */
function paymentIn(
  told: ToldTransaction | Value,
  txIndex: number,
  isKept: (address: string) => boolean,
): ToldPayment | 'none' | 'doubtful' {
  if (typeof told !== 'object' || told === null) return 'doubtful'
  const { from, to, value } = told
  // A transaction without a receiver creates a contract.
  if (NOBODY.includes(to)) return isUntold(told) ? 'doubtful' : 'none'
  const amount = value === '0x0' ? 0n : quantityIn(value)
  if (amount === 0n) return 'none'
  const toAddress = typeof to === 'string' ? addressIn(to) : null
  // An amount for a receiver of another form may be for us. What has neither form is no payment.
  if (toAddress === null) return amount === null ? 'none' : 'doubtful'
  if (!isKept(toAddress)) return 'none'
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

  constructor(
    private readonly isKept: (address: string) => boolean,
    private readonly paymentsMax: number,
  ) {}

  /** Some nodes tell hashes only. */
  take(told: ToldTransaction | Value, txIndex: number): void {
    if (this.isCut) return
    this.hashes.set(txIndex, typeof told === 'object' ? told?.hash : told)
    const payment = paymentIn(told, txIndex, this.isKept)
    if (payment === 'doubtful') this.doubtful.push({ txIndex, isUntold: isUntold(told) })
    else if (payment === 'none') return
    else if (this.payments.length < this.paymentsMax) this.payments.push(payment)
    else {
      this.isCut = true
      this.hashes = new HashList()
    }
  }

  end(): this {
    return this
  }
}

/** What is read of a full block. Of more payments to addresses that are kept than a maximum, none is told. */
export function blockShape(isKept: (address: string) => boolean, paymentsMax = Number.POSITIVE_INFINITY) {
  return fields({
    ...HEAD,
    logsBloom: scalar,
    transactionsRoot: scalar,
    gasUsed: scalar,
    transactions: items(either(transactionShape, scalar), () => new ToldTransactions(isKept, paymentsMax)),
  })
}
/** A full block as a node tells it, not yet checked. */
export type ToldBlock = ValueOf<ReturnType<typeof blockShape>>

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
  const transactions = told.transactions ?? new ToldTransactions(isWatched, 0)
  demand(!transactions.isCut, 'a block has more payments than are kept')
  const { hashes: txHashes } = transactions
  const bloom = LogsBloom.of(told.logsBloom)
  if (txHashes.length === 0) demandEmpty(told, bloom)
  const payments = transactions.payments.filter(({ toAddress }) => isWatched(toAddress)).map(readPayment)
  const known = payments.map(({ txIndex }) => txHashes.at(txIndex)).filter((hash) => hash !== null)
  demand(new Set(known).size === known.length, 'a block has a transaction twice')
  return { ...head, bloom, txHashes, payments, doubtful: transactions.doubtful }
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
    const payment = paymentIn(each, txIndex, isWatched)
    // What is told twice in another form than an address is none of ours.
    return typeof payment === 'string' ? [] : [readPayment(payment)]
  })
  const payments = [...block.payments, ...found].sort((a, b) => a.txIndex - b.txIndex)
  return { ...block, payments, doubtful: [] }
}

function readPayment({ txIndex, from, toAddress, value }: ToldPayment): NativePayment {
  return { txIndex, from: addressIn(from), toAddress, amount: quantityOf(value, 'value of a transaction') }
}

/**
 * A node that has the header but not the body may answer without transactions. A root of no transactions proves that there
 * are none. Chains write it in other ways too; then a block without gas and without logs is believed.
 */
function demandEmpty(
  told: { readonly transactionsRoot: Value; readonly gasUsed: Value },
  bloom: LogsBloom | null,
): void {
  const root = hashIn(told.transactionsRoot)
  if (root !== null && EMPTY_ROOTS.has(root)) return
  const isIdle = quantityIn(told.gasUsed) === 0n && (bloom === null || bloom.isEmpty || bloom.isFull)
  if (!isIdle) throw new BadAnswer('a block comes without its transactions')
}
