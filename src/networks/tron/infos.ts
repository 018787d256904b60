/**
 * Infos of transactions (`gettransactioninfobyblocknum`, `gettransactioninfobyid`), which alone say what contracts did.
 * They are read as a stream: only what concerns watched addresses is kept of them.
 */

import type { WatchedAddresses } from '../../domain/block.js'
import { fields, items, list, type Scalar, type Shape, scalar, type ValueOf } from '../node/json-shape.js'
import { accountOf, addressOfAccount } from './address.js'
import type { TronBlock } from './block.js'
import { internalPayments } from './internal.js'
import type { Payment } from './payment.js'
import { isGiven, naturalOf, resultOf, wordOf } from './values.js'

/** Keccak-256 of `Transfer(address,address,uint256)`. */
const TRANSFER_TOPIC = 'ddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef'
/** The event, the sender, the receiver. A log with more or fewer topics is of another event. */
const TRANSFER_TOPICS = 3
/** Where the account begins in its word, whatever a contract wrote before it. */
const ACCOUNT_START = 24
/** Infos of transactions that the block does not have are noted up to this number. */
const STRANGERS_MAX = 3
/** How the info of a transaction that did not fail says so: mostly not at all. java-tron spells it like this. */
const NOT_FAILED: ReadonlySet<Scalar | undefined> = new Set([undefined, null, '', 0, 'SUCESS', 'SUCCESS'])

/** The labels of deposits in the tokens that are read, by the accounts of their contracts: which token it is, its contract decides. */
export type TokenLabels = ReadonlyMap<string, string>

/** What the info of a transaction says. */
export interface TransactionEffects {
  /** The result of the contract that ran; null when none ran, or the node omits it. */
  readonly contractResult: string | null
  /** Whether the info says that the transaction failed. */
  readonly isFailed: boolean
  /** Of tokens and of TRX, to watched addresses. */
  readonly payments: readonly Payment[]
}

/** The fields of an info that are read. */
export function infoFields(tokens: TokenLabels, watched: WatchedAddresses) {
  return {
    id: scalar,
    blockNumber: scalar,
    blockTimeStamp: scalar,
    result: scalar,
    receipt: fields({ result: scalar }),
    log: tokenPayments(tokens, watched),
    internal_transactions: internalPayments(watched),
  }
}

/** What was read of an info. */
export type InfoAnswer = NonNullable<ValueOf<ReturnType<typeof fields<ReturnType<typeof infoFields>>>>>

/** The infos of one block's transactions, as far as they were read. */
export class BlockInfos {
  private readonly effects = new Map<string, TransactionEffects>()
  private readonly strange = new Set<string>()
  private readonly ids: ReadonlySet<string>

  constructor(private readonly block: TronBlock) {
    this.ids = new Set(block.transactions.map(({ id }) => id))
  }

  /** What the info of a transaction says; undefined while it was not read. */
  of(id: string): TransactionEffects | undefined {
    return this.effects.get(id)
  }

  /** Whether no info of the block was read. */
  get isEmpty(): boolean {
    return this.effects.size === 0
  }

  /** Transactions that the block does not list, although there are infos that say they are in it; a few of them. */
  get strangers(): readonly string[] {
    return [...this.strange]
  }

  /** Infos of another branch have another height or time, and are passed over. */
  take(info: InfoAnswer | null | undefined): void {
    const id = wordOf(info?.id)
    if (!info || id === null) return
    const { blockNumber, blockTimeStamp, receipt, log, internal_transactions } = info
    if (isGiven(blockNumber) && naturalOf(blockNumber) !== BigInt(this.block.height)) return
    if (isGiven(blockTimeStamp) && naturalOf(blockTimeStamp) !== BigInt(this.block.timeMs)) return
    if (!this.ids.has(id)) {
      // An info that does not name its block may be of a neighbour, unless there are no others to tell it from.
      const isOfBlock = isGiven(blockNumber) || isGiven(blockTimeStamp) || this.block.mayLackTransactions
      if (isOfBlock && this.strange.size < STRANGERS_MAX) this.strange.add(id)
      return
    }
    if (this.effects.has(id)) return
    this.effects.set(id, {
      contractResult: resultOf(receipt?.result),
      isFailed: !NOT_FAILED.has(info.result),
      payments: [...(log ?? []), ...(internal_transactions ?? [])],
    })
  }
}

/** What the logs of one transaction pay to watched addresses in tokens. `index` is the place of the log, from 1. */
function tokenPayments(tokens: TokenLabels, watched: WatchedAddresses): Shape<readonly Payment[] | null | undefined> {
  const log = fields({ address: scalar, topics: list(scalar, TRANSFER_TOPICS), data: scalar })
  return items(log, () => {
    const payments: Payment[] = []
    return {
      take(one, ordinal) {
        const [event, , receiver] = one?.topics ?? []
        if (wordOf(event) !== TRANSFER_TOPIC) return
        const label = tokens.get(accountOf(one?.address) ?? '')
        if (label === undefined) return
        const account = wordOf(receiver)?.slice(ACCOUNT_START)
        const amount = wordOf(one?.data)
        if (account === undefined || amount === null) return
        const raw = BigInt(`0x${amount}`)
        const toAddress = addressOfAccount(account)
        if (raw === 0n || !watched.has(toAddress)) return
        payments.push({ index: ordinal + 1, toAddress, currency: label, amount: String(raw) })
      },
      end: () => payments,
    }
  })
}
