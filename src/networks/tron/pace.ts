import { AdaptiveWidth } from '../adaptive-width.js'
import { HttpFailure, isPerhapsTooLarge } from '../node/node-failure.js'

/** Blocks of one question; nodes allow 100. */
const BLOCKS_MAX = 100
/** Blocks are asked for together up to about so many transactions: half a megabyte, parsed in a few milliseconds. */
const TRANSACTIONS = 500
/** An endpoint has as many connections. */
const RECEIPTS_MAX = 4

/** How much a reader asks for at once while it catches up: as much as goes well, less after a failure. */
export class TronPace {
  private readonly blocksAtOnce = new AdaptiveWidth(1, BLOCKS_MAX)
  private readonly receiptsAtOnce = new AdaptiveWidth(1, RECEIPTS_MAX)
  /** Blocks like the last ones that have about as many transactions as are wanted. */
  private fitting = BLOCKS_MAX

  /** Blocks to ask for in one question. */
  get blocks(): number {
    return Math.min(this.blocksAtOnce.value, this.fitting)
  }

  /** Receipts to ask for at once, each of one block. */
  get receipts(): number {
    return this.receiptsAtOnce.value
  }

  /** All of a question's blocks came, with so many transactions. */
  succeeded(blocks: number, transactions: number): void {
    this.fitting = Math.max(1, Math.floor((TRANSACTIONS * blocks) / Math.max(1, transactions)))
    this.blocksAtOnce.succeeded()
    this.receiptsAtOnce.succeeded()
  }

  /** Some of a question's blocks, or none, came. A node that only allows fewer requests is better asked for more at once. */
  failed(error: unknown): void {
    this.receiptsAtOnce.refused(this.receipts)
    const isOnlyLimited = error instanceof HttpFailure && error.reason === 'status' && !isPerhapsTooLarge(error)
    if (!isOnlyLimited) this.blocksAtOnce.refused(this.blocks)
  }
}
