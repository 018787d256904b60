import { State, type WrongTransition } from '../base/state.js'
import type { Delivery, DeliveryResult } from '../domain/webhook.js'
import type { LaneKey } from '../store/outbox.js'
import type { Pool } from './pool.js'

/** Attempts in flight that a lane starts with, and the least that a slow receiver keeps. */
const WINDOW_START = 2
/** Attempts in flight for a receiver that timed out. */
const WINDOW_HANGING = 1

/** An answer that is sooner than this doubles the window; any other adds one. */
const QUICK_ANSWER_MS = 1000
/** Half of an attempt's time limit. A slower answer halves the window, before attempts fail. */
const LATE_ANSWER_MS = 4000

/** Queued rows read beyond those that can start, so that deliveries of busy invoices do not block the others. */
const LOOKAHEAD_ROWS = 8

type LaneState = 'resting' | 'ready' | 'in_turn' | 'paused' | 'gone'

/**
 * The deliveries of one owner to one origin: those in flight, and while there are any a few of the next ones. The
 * others stay in the store, which is the queue.
 *
 * A lane is in one of these states. In each of them attempts may be in flight, except in the last one.
 *
 * - RESTING: it has nothing to begin, or no room to begin it, until a delivery ends or becomes due.
 *   - `enter` → READY, when it has both.
 *   - `drop` → GONE, when nothing is queued or in flight.
 *   - `pause` → PAUSED, when the store failed.
 * - READY: it waits in a pool for its turn.
 *   - `beginTurn` → IN_TURN. One lane of all is in turn at a time.
 *   - `pause` → PAUSED, when the store failed for an attempt in flight. It leaves the pool.
 * - IN_TURN: its rows are read, and attempts begin.
 *   - `endTurn` → RESTING. Its owner offers it again at once when there is more.
 *   - `pause` → PAUSED, when the store failed for the read, or meanwhile for an attempt. The read is then worth nothing.
 * - PAUSED: it waits, because the store failed. It has forgotten what it had read.
 *   - `resume` → RESTING, when the pause is over.
 * - GONE: it is forgotten. Deliveries that become due have a new lane.
 *
 * Every transition asserts the state that it comes from.
 */
export class OutboxLane {
  private readonly current: State<LaneState>
  /** The pool that it entered last; null before the first time. */
  pool: Pool<OutboxLane> | null = null
  /** Failures of the store in a row. */
  failures = 0
  private window: number
  /** The deliveries in flight by id, as they were when they began, until their outcome is recorded. */
  private readonly underWay = new Map<string, Delivery>()
  /** The ids of deliveries that the receiver has not answered. */
  private readonly unanswered = new Set<string>()
  private readonly busyInvoices = new Set<string>()
  /** Rows that were read and not begun, oldest first. */
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
    onWrongTransition: (error: WrongTransition) => void,
  ) {
    this.window = Math.min(WINDOW_START, windowMax)
    this.current = new State('a lane', 'resting', onWrongTransition)
  }

  get state(): LaneState {
    return this.current.now
  }

  /** Waits in a pool for its turn. */
  enter(pool: Pool<OutboxLane>): void {
    this.current.enter('ready', 'resting')
    this.pool = pool
  }

  beginTurn(): void {
    this.current.enter('in_turn', 'ready')
  }

  endTurn(): void {
    this.current.enter('resting', 'in_turn')
  }

  /** Waits for the store, in no pool. Its deliveries are still queued. */
  pause(): void {
    this.current.enter('paused', 'resting', 'ready', 'in_turn')
    this.pool?.leave(this)
    this.failures += 1
  }

  resume(): void {
    this.current.enter('resting', 'paused')
  }

  /** Nothing of it is queued or in flight. */
  drop(): void {
    this.current.enter('gone', 'resting')
  }

  /** Attempts that may be added now. */
  get room(): number {
    return Math.max(0, this.window - this.unanswered.size)
  }

  /** Whether there are rows that were read and not begun. */
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

  /** The delivery is queued. A retry or redelivery has its place before rows that were read since. */
  wake(id: string): void {
    this.hasUnread = true
    if (this.state === 'in_turn') this.isOutdated = true
    else if (this.readTo !== null && id <= this.readTo && !this.isKnown(id)) this.startOver()
  }

  /** Reads from the head of the queue again. */
  startOver(): void {
    this.hasUnread = true
    this.isOutdated = false
    this.ahead = []
    this.readTo = null
  }

  /** What to read so that `wanted` deliveries can be chosen; null for nothing. */
  beginRead(wanted: number): { readonly after: string | null; readonly limit: number } | null {
    if (!this.hasUnread || this.startable(wanted).length === wanted) return null
    // At the head of the queue there may still be deliveries that are being marked now.
    const passed = this.readTo === null ? this.unanswered.size : 0
    const limit = wanted + LOOKAHEAD_ROWS - this.ahead.length + passed
    if (limit <= 0) return null
    this.hasUnread = false
    return { after: this.readTo, limit }
  }

  /** Takes the rows that the store returned, at most `limit`, oldest first. */
  endRead(rows: readonly Delivery[], limit: number): void {
    for (const row of rows) if (!this.isUnderWay(row)) this.ahead.push(row)
    this.readTo = rows.at(-1)?.id ?? this.readTo
    if (rows.length === limit) this.hasUnread = true
  }

  /**
   * The first `wanted` of the queued deliveries, oldest first, that may start. A delivery starts only when the one
   * before it of the same invoice is recorded, which keeps `confirmed` behind the `pending` of its deposit.
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
    this.busyInvoices.add(orderOf(delivery))
  }

  /** The receiver has answered, or the attempt failed. */
  answered(delivery: Delivery): void {
    this.unanswered.delete(delivery.id)
  }

  /** The attempt is over, and recorded. */
  remove(delivery: Delivery): void {
    this.underWay.delete(delivery.id)
    this.busyInvoices.delete(orderOf(delivery))
    // Rows ahead are kept only beside attempts in flight, so that both have the same bound. Only one lane is in turn.
    if (this.underWay.size === 0 && this.hasAhead && this.state !== 'in_turn') this.startOver()
  }

  /** Grows the window while the receiver keeps up; a hanging receiver soon drops to one attempt. */
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
      const order = orderOf(row)
      if (this.busyInvoices.has(order) || invoices.has(order)) continue
      invoices.add(order)
      found.push(row)
    }
    return found
  }

  /** False for a delivery that has come back since, by a retry or a redelivery, and is to be attempted again. */
  private isUnderWay(row: Delivery): boolean {
    return this.underWay.get(row.id)?.attempts === row.attempts
  }

  /** Whether it was read, and cannot have come back since. */
  private isKnown(id: string): boolean {
    return this.unanswered.has(id) || this.ahead.some((row) => row.id === id)
  }
}

/** What a delivery must not overtake another one of: its invoice. Events that name none keep the order among themselves. */
function orderOf({ invoiceId }: Delivery): string {
  return invoiceId ?? ''
}
