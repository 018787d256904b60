import { type Account, firstReceiptAfter, lastRowUntil, totalOf, totalUntil } from './running-totals.js'
import type { Table } from './tables.js'

/** The creation times within which every invoice on the same accounts received the same. */
export interface Span {
  /** What an invoice created in it received, atoms. */
  readonly received: bigint
  /** The last deposit before it, inclusive; 0 when there is none. */
  readonly from: number
}

/**
 * What came in on some accounts together, seen from the invoices that all of them pay: the later an invoice was created,
 * the less it received, and between two deposits all received the same. Valid within one transaction, as long as no total
 * changes.
 */
export class PaymentSpans {
  private readonly total: bigint

  constructor(
    private readonly totals: Table,
    private readonly accounts: readonly Account[],
  ) {
    this.total = accounts.reduce((sum, account) => sum + totalOf(totals, account), 0n)
  }

  /** The span that a creation time lies in. */
  spanAt(timeMs: number): Span {
    let until = 0n
    let from = 0
    for (const account of this.accounts) {
      const row = lastRowUntil(this.totals, account, timeMs)
      if (row === undefined) continue
      until += row.total
      from = Math.max(from, row.receivedAt)
    }
    return { received: this.total - until, from }
  }

  /** Where the span of `timeMs` ends, exclusive: the next deposit; infinity when there is none. */
  endOfSpanAt(timeMs: number): number {
    return this.accounts.reduce(
      (end, account) => Math.min(end, firstReceiptAfter(this.totals, account, timeMs)),
      Number.POSITIVE_INFINITY,
    )
  }

  /**
   * The latest creation time before `beforeMs` of an invoice that received at least `atoms`; null when none did. Looks
   * back in growing steps and then halves the last one, so what is near is found quickly.
   */
  lastToReceive(atoms: bigint, beforeMs: number): number | null {
    if (this.since(0) < atoms) return null
    let enough = beforeMs - 1
    let tooLate = beforeMs
    for (let stepMs = 1; this.since(enough) < atoms; stepMs *= 4) {
      tooLate = enough
      enough = Math.max(0, enough - stepMs)
    }
    while (tooLate - enough > 1) {
      const middle = Math.floor((enough + tooLate) / 2)
      if (this.since(middle) >= atoms) enough = middle
      else tooLate = middle
    }
    return enough
  }

  private since(timeMs: number): bigint {
    return this.accounts.reduce((sum, account) => sum - totalUntil(this.totals, account, timeMs), this.total)
  }
}
