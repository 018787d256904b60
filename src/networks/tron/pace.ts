import { AdaptiveWidth } from '../adaptive-width.js'
import { HttpFailure, isPerhapsTooLarge } from '../node/answer.js'

/** Blocks in one query; nodes allow 100. */
const BLOCKS_MAX = 100
/** Blocks are queried together up to about this many transactions: half a megabyte, parsed in a few milliseconds. */
const TRANSACTIONS = 500
/** The number of connections to an endpoint. */
const RECEIPTS_MAX = 4

/** How much a reader queries at once while it catches up: it grows with success and shrinks after a failure. */
export class TronPace {
  private readonly blocksAtOnce = new AdaptiveWidth(1, BLOCKS_MAX)
  private readonly receiptsAtOnce = new AdaptiveWidth(1, RECEIPTS_MAX)
  /** The number of blocks like the last ones that have `TRANSACTIONS` transactions together. */
  private fitting = BLOCKS_MAX

  /** Blocks to request in one query. */
  get blocks(): number {
    return Math.min(this.blocksAtOnce.value, this.fitting)
  }

  /** Receipts to request in parallel, each of one block. */
  get receipts(): number {
    return this.receiptsAtOnce.value
  }

  /** All blocks of a query came, with this many transactions in all. */
  succeeded(blocks: number, transactions: number): void {
    this.fitting = Math.max(1, Math.floor((TRANSACTIONS * blocks) / Math.max(1, transactions)))
    this.blocksAtOnce.succeeded()
    this.receiptsAtOnce.succeeded()
  }

  /** Not all blocks of a query came. When the node only limits the rate, queries with more blocks are better. */
  failed(error: unknown): void {
    this.receiptsAtOnce.refused(this.receipts)
    const isOnlyLimited = error instanceof HttpFailure && error.reason === 'status' && !isPerhapsTooLarge(error)
    if (!isOnlyLimited) this.blocksAtOnce.refused(this.blocks)
  }
}
