import { HttpFailure, isPerhapsTooLarge } from './node-failure.js'

/** Blocks of one question; nodes allow 100. */
const WIDTH_MAX = 100
/** About eight questions until a width that failed is tried again. */
const WIDTH_LIMIT_GROWTH = 1.1
/** Blocks are asked for together up to about so many transactions: half a megabyte, parsed in a few milliseconds. */
const TRANSACTIONS = 500
/** Receipts asked for at once; an endpoint has as many connections. */
const AT_ONCE_MAX = 4

/** How much a reader asks for at once while it catches up: as much as goes well, less after a failure. */
export class TronPace {
  /** Blocks to ask for in one question. */
  width = 1
  /** Receipts to ask for at once. */
  atOnce = 1
  /** What `width` may grow to: half of what failed, and slowly more. */
  private widthLimit = WIDTH_MAX

  /** All of a question's blocks came, with so many transactions. */
  succeeded(blocks: number, transactions: number): void {
    const fitting = Math.floor((TRANSACTIONS * blocks) / Math.max(1, transactions))
    this.widthLimit = Math.min(this.widthLimit * WIDTH_LIMIT_GROWTH, WIDTH_MAX)
    this.width = Math.max(1, Math.floor(Math.min(fitting, this.width * 2, this.widthLimit)))
    this.atOnce = Math.min(this.atOnce + 1, AT_ONCE_MAX)
  }

  /** Some of a question's blocks, or none, came. A node that only allows fewer requests is better asked for more at once. */
  failed(error: unknown): void {
    this.atOnce = 1
    if (error instanceof HttpFailure && error.reason === 'status' && !isPerhapsTooLarge(error)) return
    this.widthLimit = Math.max(1, this.width / 2)
    this.width = Math.floor(this.widthLimit)
  }
}
