import { AdaptiveWidth } from '../adaptive-width.js'

/** Blocks in one query; nodes allow 100. */
const BLOCKS_MAX = 100
/** Blocks are asked for together up to about this many transactions: half a megabyte, read in a few milliseconds. */
const TRANSACTIONS = 500

/** How many blocks to ask for at once. It grows with success and shrinks after a failure. */
export class RangeWidth {
  private readonly width = new AdaptiveWidth(2, BLOCKS_MAX)
  /** The number of blocks like the last ones that have `TRANSACTIONS` transactions together. */
  private fitting = BLOCKS_MAX

  get value(): number {
    return Math.min(this.width.value, this.fitting)
  }

  /** Blocks came, with so many transactions in all. */
  succeeded(blocks: number, transactions: number): void {
    this.fitting = Math.max(1, Math.floor((TRANSACTIONS * blocks) / Math.max(1, transactions)))
    this.width.succeeded()
  }

  /** A query for so many blocks failed. */
  refused(blocks: number): void {
    this.width.refused(blocks)
  }
}
