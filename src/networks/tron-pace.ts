/** Blocks of one question; nodes allow 100. */
const WIDTH_MAX = 100
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

  /** All of a question's blocks came, with so many transactions. */
  succeeded(blocks: number, transactions: number): void {
    const fitting = Math.floor((TRANSACTIONS * blocks) / Math.max(1, transactions))
    this.width = Math.max(1, Math.min(fitting, this.width * 2, WIDTH_MAX))
    this.atOnce = Math.min(this.atOnce + 1, AT_ONCE_MAX)
  }

  /** Some of a question's blocks, or none, came. */
  failed(): void {
    this.width = Math.max(1, Math.floor(this.width / 2))
    this.atOnce = 1
  }
}
