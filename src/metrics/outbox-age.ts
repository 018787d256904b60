import { setImmediate as nextTurn } from 'node:timers/promises'
import { scan } from '../base/scan.js'
import { type Clock, elapsedOf } from '../clock.js'
import type { OutboxPort } from '../store/outbox.js'

/** Lanes queried in one turn of the event loop. */
export const LANES_PER_TURN = 128
/** Lanes queried for one answer. With more lanes the answer may be too small; their number is an alert of its own. */
export const LANES_MAX = 16_384

/**
 * For how long the webhook has waited that has waited longest: the oldest queued one since its deposit, or a retry since it was due. While
 * it stays the same one its age also grows on a clock that cannot be set, so that one which was set back hides nothing.
 */
export class OutboxAge {
  private readonly queued: Waiting
  private readonly retry: Waiting

  constructor(
    private readonly outbox: Pick<OutboxPort, 'oldestQueued' | 'nextRetryAt'>,
    private readonly clock: Clock,
  ) {
    this.queued = new Waiting(clock)
    this.retry = new Waiting(clock)
  }

  /** Milliseconds; 0 when nothing waits that is due. */
  async read(): Promise<number> {
    const queuedAt = await oldestQueuedAt(this.outbox)
    const dueAt = await this.outbox.nextRetryAt()
    const leftMs = dueAt === null ? 0 : Math.max(0, dueAt - this.clock.now())
    return Math.max(this.queued.age(queuedAt, 0), this.retry.age(dueAt, leftMs))
  }
}

/** What waits first, by the time since which it does, or is to be done. */
class Waiting {
  private sinceMs: number | null = null
  /** On the clock that cannot be set: when it is to be done at the latest. */
  private dueMs = 0

  constructor(private readonly clock: Clock) {}

  /** `leftMs`: how long it may still wait, by the clock that may be set. */
  age(sinceMs: number | null, leftMs: number): number {
    const elapsedMs = elapsedOf(this.clock)
    if (sinceMs !== this.sinceMs) this.dueMs = elapsedMs + leftMs
    this.sinceMs = sinceMs
    return sinceMs === null ? 0 : Math.max(0, this.clock.now() - sinceMs, elapsedMs - this.dueMs)
  }
}

/**
 * When the oldest queued delivery was caused, Unix ms, or null when none is queued. The outbox is ordered by lane, so
 * every lane is queried for its oldest: one seek each, some at a time, so that other requests get their turns.
 */
export async function oldestQueuedAt(outbox: Pick<OutboxPort, 'oldestQueued'>): Promise<number | null> {
  let oldest: number | null = null
  let lanes = 0
  for await (const { createdAt } of scan((after) => outbox.oldestQueued(after, LANES_PER_TURN))) {
    if (createdAt !== null) oldest = Math.min(oldest ?? createdAt, createdAt)
    lanes += LANES_PER_TURN
    if (lanes >= LANES_MAX) break
    await nextTurn()
  }
  return oldest
}
