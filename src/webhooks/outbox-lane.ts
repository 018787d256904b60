import type { Delivery, DeliveryResult } from '../domain/webhook.js'
import type { LaneKey } from '../store/outbox.js'
import type { Pool } from './pool.js'

/** Attempts at once that a lane starts with. A receiver that answers slowly is left at least these. */
const WINDOW_START = 2
/** What is left to a receiver that did not answer in time. */
const WINDOW_HANGING = 1

/** A receiver that answers sooner gets twice as many attempts at once with each answer, otherwise one more. */
const QUICK_ANSWER_MS = 1000
/** Half of what an attempt may take: whoever needs longer gets half as many at once, before attempts fail. */
const LATE_ANSWER_MS = 4000

/** Queued rows kept beyond those that can start, to pass by deliveries that wait for one of their own invoice. */
const LOOKAHEAD_ROWS = 8

/**
 * Where a lane is. `resting`: nothing to do until a delivery ends or becomes due. `ready`: in a pool, for its turn.
 * `in_turn`: its rows are being read. `paused`: the store failed.
 */
type LaneState = 'resting' | 'ready' | 'in_turn' | 'paused'

/**
 * What is remembered of the deliveries of one owner to one origin: those under way, and while there are any a few that
 * come next. The others stay in the store, which is the queue.
 */
export class OutboxLane {
  state: LaneState = 'resting'
  /** The pool that it entered last; null before. */
  pool: Pool | null = null
  /** Failures of the store in a row. */
  failures = 0
  private window: number
  /** By delivery id, until the outcome is recorded: as they were when they began. */
  private readonly underWay = new Map<string, Delivery>()
  /** Ids of those that the receiver has not answered. */
  private readonly unanswered = new Set<string>()
  private readonly busyInvoices = new Set<string>()
  /** Rows read and not begun, oldest first. */
  private ahead: Delivery[] = []
  /** Id of the last row read; null when the next read begins at the head of the queue. */
  private readTo: string | null = null
  /** Whether the store may hold rows behind the last one read. */
  private hasUnread = true
  /** Whether something became due while rows were being read. */
  private isOutdated = false

  constructor(
    readonly key: LaneKey,
    readonly owner: string,
    private readonly windowMax: number,
  ) {
    this.window = Math.min(WINDOW_START, windowMax)
  }

  /** Attempts that may be added now. */
  get room(): number {
    return Math.max(0, this.window - this.unanswered.size)
  }

  /** Whether deliveries were read that have not begun. */
  get hasAhead(): boolean {
    return this.ahead.length > 0
  }

  /** Whether there may be deliveries that have not begun. */
  get hasMore(): boolean {
    return this.hasUnread || this.hasAhead
  }

  get isEmpty(): boolean {
    return this.underWay.size === 0 && !this.hasMore
  }

  /** The delivery is queued. A retry or a redelivery comes back before what was read since. */
  wake(id: string): void {
    this.hasUnread = true
    if (this.state === 'in_turn') this.isOutdated = true
    else if (this.readTo !== null && id <= this.readTo && !this.isKnown(id)) this.startOver()
  }

  /** Begins at the head of the queue again. */
  startOver(): void {
    this.hasUnread = true
    this.isOutdated = false
    this.ahead = []
    this.readTo = null
  }

  /** What to read before `wanted` deliveries can be chosen; null for nothing. */
  beginRead(wanted: number): { readonly after: string | null; readonly limit: number } | null {
    if (!this.hasUnread || this.startable(wanted).length === wanted) return null
    // At the head of the queue there may still be those that are only now being marked.
    const passed = this.readTo === null ? this.unanswered.size : 0
    const limit = wanted + LOOKAHEAD_ROWS - this.ahead.length + passed
    if (limit <= 0) return null
    this.hasUnread = false
    return { after: this.readTo, limit }
  }

  /** The rows that the store had, at most `limit`, oldest first. */
  endRead(rows: readonly Delivery[], limit: number): void {
    for (const row of rows) if (!this.isUnderWay(row)) this.ahead.push(row)
    this.readTo = rows.at(-1)?.id ?? this.readTo
    if (rows.length === limit) this.hasUnread = true
  }

  /**
   * The first `wanted` of the queued deliveries, oldest first, that may start. One of an invoice starts only when the one
   * before it has been recorded, which keeps `confirmed` behind the `pending` of its deposit.
   */
  choose(wanted: number): readonly Delivery[] {
    const chosen = this.startable(wanted)
    this.ahead = this.ahead.filter((row) => !chosen.includes(row))
    if (this.isOutdated) this.startOver()
    return chosen
  }

  add(delivery: Delivery): void {
    this.underWay.set(delivery.id, delivery)
    this.unanswered.add(delivery.id)
    this.busyInvoices.add(delivery.invoiceId)
  }

  /** The receiver has no more to do with it. False when that was known. */
  answered(delivery: Delivery): boolean {
    return this.unanswered.delete(delivery.id)
  }

  /** It is over, and recorded. */
  remove(delivery: Delivery): void {
    this.underWay.delete(delivery.id)
    this.busyInvoices.delete(delivery.invoiceId)
    // What comes next is in memory only beside what is under way, so that it has the same bound. Only one lane is in turn.
    if (this.underWay.size === 0 && this.hasAhead && this.state !== 'in_turn') this.startOver()
  }

  /** As many attempts at once as the receiver has shown to stand. One that hangs soon holds a single slot. */
  learn(result: DeliveryResult): void {
    if (result.kind === 'answered') this.window = this.windowAfter(result.durationMs)
    else if (result.reason === 'timeout') this.window = WINDOW_HANGING
  }

  private windowAfter(answerMs: number): number {
    if (answerMs >= LATE_ANSWER_MS) return Math.min(this.window, Math.max(WINDOW_START, Math.floor(this.window / 2)))
    return Math.min(this.windowMax, answerMs < QUICK_ANSWER_MS ? this.window * 2 : this.window + 1)
  }

  private startable(wanted: number): readonly Delivery[] {
    const invoices = new Set<string>()
    const found: Delivery[] = []
    for (const row of this.ahead) {
      if (found.length === wanted) break
      if (this.busyInvoices.has(row.invoiceId) || invoices.has(row.invoiceId)) continue
      invoices.add(row.invoiceId)
      found.push(row)
    }
    return found
  }

  /** False for one that has come back meanwhile, for a retry or a redelivery, and is to be attempted once more. */
  private isUnderWay(row: Delivery): boolean {
    return this.underWay.get(row.id)?.attempts === row.attempts
  }

  /** Whether it was read, and cannot have come back since. */
  private isKnown(id: string): boolean {
    return this.unanswered.has(id) || this.ahead.some((row) => row.id === id)
  }
}
