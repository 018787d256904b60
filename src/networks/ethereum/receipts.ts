/** What is read of receipts: whether a transaction succeeded, its transfers to us, and the filter over the logs of all. */

import { fields, items, scalar, type ValueOf } from '../node/json-shape.js'
import type { EthereumBlock } from './block.js'
import { LogsBloom } from './bloom.js'
import type { EthereumFilter } from './filter.js'
import { HashList } from './hash-list.js'
import { type FilterMode, logsShape } from './logs.js'
import type { LoggedTransfer } from './told-log.js'
import { hashIn, quantityIn, type Value } from './values.js'

/** `untold`: receipts from before the Byzantium fork have a root of the state instead. `absent`: there is no receipt. */
const OUTCOMES = ['absent', 'succeeded', 'failed', 'untold'] as const
export type Outcome = (typeof OUTCOMES)[number]
const OUTCOMES_START = 16

/** A receipt with transfers to us. */
export interface RelevantReceipt {
  /** Its place among all receipts. */
  readonly place: number
  readonly transfers: readonly LoggedTransfer[]
}

/** A receipt as a node tells it, not yet checked. */
export type ToldReceipt = ValueOf<ReturnType<typeof receiptShape>>

/** What is read of one receipt. */
export function receiptShape(filter: EthereumFilter, mode: FilterMode) {
  return fields({
    transactionHash: scalar,
    blockHash: scalar,
    status: scalar,
    logsBloom: scalar,
    logs: logsShape(filter, mode),
  })
}

/** What is read of the receipts of one of these blocks. */
export function receiptsShape(filter: EthereumFilter, mode: FilterMode, blocks: readonly EthereumBlock[]) {
  const hashesOf = new Map(blocks.map(({ hash, txHashes }) => [hash, txHashes]))
  return items(receiptShape(filter, mode), () => new Receipts(filter, mode, hashesOf))
}

/** The receipts of a block, as far as they matter. They are taken one by one, in any order, and none is kept. */
export class Receipts {
  /** Of their transactions. */
  hashes = new HashList()
  /** The filter over the logs of all. */
  readonly bloom = new LogsBloom()
  readonly relevant: RelevantReceipt[] = []
  /** Whether a receipt has no list of logs. Then only the header's filter can prove that none is missing. */
  hasListLeftOut = false
  private outcomes = new Uint8Array(OUTCOMES_START)
  private count = 0
  private blockHash: Value
  private isOfOneBlock = true
  /** The filter of the receipt that is looked at. */
  private readonly given = new LogsBloom()

  constructor(
    private readonly filter: EthereumFilter,
    readonly mode: FilterMode,
    /** The hashes of the transactions of blocks, by the hash of the block. Most receipts are in their order. */
    private readonly hashesOf: ReadonlyMap<string, HashList> = new Map(),
  ) {}

  take(receipt: ToldReceipt, place: number): void {
    if (this.count === 0) this.hashes = new HashList(this.hashesOf.get(hashIn(receipt?.blockHash) ?? ''))
    this.hashes.set(place, receipt?.transactionHash)
    const logs = receipt?.logs
    const outcome = outcomeOf(receipt?.status)
    // Some nodes leave out lists that are empty.
    const isListLeftOut = logs === undefined && outcome !== 'untold'
    if (receipt === null || receipt === undefined || (logs === undefined && !isListLeftOut)) {
      this.note(place, 'absent')
      return
    }
    this.note(place, outcome)
    this.hasListLeftOut ||= isListLeftOut
    const { blockHash } = receipt
    if (blockHash !== undefined && blockHash !== null) {
      this.blockHash ??= blockHash
      this.isOfOneBlock &&= blockHash === this.blockHash
    }
    if (logs === null || logs === undefined) return
    // A filter that denies the token saves the one over the logs: for every log it would take a third of the time.
    const isBelieved =
      this.mode === 'given' && this.given.read(receipt.logsBloom) && !this.filter.isOfInterest(this.given)
    this.bloom.addAll(isBelieved && !logs.hasTransfer ? this.given : logs.bloom())
    if (logs.transfers.length > 0) this.relevant.push({ place, transfers: logs.transfers })
  }

  end(): this {
    return this
  }

  get length(): number {
    return this.count
  }

  outcomeAt(place: number): Outcome {
    return OUTCOMES[this.outcomes[place] ?? 0] ?? 'absent'
  }

  /** Whether all that name a block name this one. */
  areOf(hash: string): boolean {
    return this.isOfOneBlock && (this.blockHash === undefined || hashIn(this.blockHash) === hash)
  }

  /** A byte each, since a block can have hundreds of thousands. */
  private note(place: number, outcome: Outcome): void {
    this.count = Math.max(this.count, place + 1)
    if (place >= this.outcomes.length) {
      const larger = new Uint8Array(2 * this.count)
      larger.set(this.outcomes)
      this.outcomes = larger
    }
    this.outcomes[place] = OUTCOMES.indexOf(outcome)
  }
}

function outcomeOf(status: Value): Outcome {
  const number = typeof status === 'string' ? quantityIn(status) : status
  if (number === 1n || number === 1 || number === true) return 'succeeded'
  return number === 0n || number === 0 || number === false ? 'failed' : 'untold'
}
