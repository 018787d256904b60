import type { Delivery, DeliveryResult } from '../domain/webhook.js'
import type { LaneKey } from '../store/store.js'

/** Attempts at once that a lane starts with; it grows with every answer and shrinks with a timeout. */
const WINDOW_START = 2
const WINDOW_MIN = 1
const WINDOW_GROWTH = 2

/** Queued rows looked at beyond those that can start, to pass by deliveries that wait for one of their own invoice. */
const LOOKAHEAD_ROWS = 8

/**
 * Where a lane is. `resting`: nothing to do until a delivery ends or becomes due. `ready`: in the round. `in_turn`: its
 * rows are being read. `waiting_for_owner`: its owner uses all the places an owner gets. `paused`: the store failed.
 */
type LanePlace = 'resting' | 'ready' | 'in_turn' | 'waiting_for_owner' | 'paused'

/**
 * What is remembered of the deliveries of one owner to one origin: those under way. The others stay in the store, which
 * is the queue.
 */
export class Lane {
  place: LanePlace = 'resting'
  /** Known from the first row on. */
  owner: string | null = null
  /** Whether the store may hold deliveries that have not been taken. */
  hasMore = true
  /** Failures of the store in a row. */
  failures = 0
  private window: number
  /** By delivery id: as they were when they began. */
  private readonly underWay = new Map<string, Delivery>()

  constructor(
    readonly key: LaneKey,
    private readonly windowMax: number,
  ) {
    this.window = Math.min(WINDOW_START, windowMax)
  }

  /** Attempts that may be added now. */
  get room(): number {
    return Math.max(0, this.window - this.underWay.size)
  }

  get isEmpty(): boolean {
    return this.underWay.size === 0 && !this.hasMore
  }

  /** Rows to read, so that `wanted` can be found behind those that are under way and still queued. */
  rowsToRead(wanted: number): number {
    return this.underWay.size + wanted + LOOKAHEAD_ROWS
  }

  /**
   * The first `wanted` of the queued rows, oldest first, that may start. One of an invoice starts only when the one
   * before it has ended, which keeps `confirmed` behind the `pending` of its deposit.
   */
  choose(rows: readonly Delivery[], wanted: number): readonly Delivery[] {
    const busyInvoices = new Set([...this.underWay.values()].map(({ invoiceId }) => invoiceId))
    const chosen: Delivery[] = []
    for (const row of rows) {
      if (chosen.length === wanted) break
      // What is under way may still be among the rows: its own invoice is busy.
      if (busyInvoices.has(row.invoiceId)) continue
      busyInvoices.add(row.invoiceId)
      chosen.push(row)
    }
    return chosen
  }

  /** False for one that has come back meanwhile, for a retry or a redelivery, and is to be attempted once more. */
  isUnderWay(row: Delivery): boolean {
    return this.underWay.get(row.id)?.attempts === row.attempts
  }

  add(delivery: Delivery): void {
    this.underWay.set(delivery.id, delivery)
  }

  remove(delivery: Delivery): void {
    this.underWay.delete(delivery.id)
  }

  /** A receiver that hangs soon holds one place only; one that answers gets all that a destination may have. */
  learn(result: DeliveryResult): void {
    if (result.kind === 'answered') this.window = Math.min(this.windowMax, this.window * WINDOW_GROWTH)
    else if (result.reason === 'timeout') this.window = WINDOW_MIN
  }
}
