import { setImmediate as nextTurn } from 'node:timers/promises'
import type { LaneKey, OldestQueued, OutboxPort } from '../store/outbox.js'

/** Lanes queried in one turn of the event loop. */
export const LANES_PER_TURN = 128
/** Lanes queried for one answer. With more lanes the answer may be too small; their number is an alert of its own. */
export const LANES_MAX = 16_384

/**
 * When the oldest queued delivery was caused, Unix ms, or null when none is queued. The outbox is ordered by lane, so
 * every lane is queried for its oldest: one seek each, some at a time, so that other requests get their turns.
 */
export async function oldestQueuedAt(outbox: Pick<OutboxPort, 'oldestQueued'>): Promise<number | null> {
  let oldest: number | null = null
  let after: LaneKey | null = null
  for (let lanes = 0; lanes < LANES_MAX; lanes += LANES_PER_TURN) {
    if (lanes > 0) await nextTurn()
    const page: OldestQueued = await outbox.oldestQueued(after, LANES_PER_TURN)
    if (page.createdAt !== null) oldest = Math.min(oldest ?? page.createdAt, page.createdAt)
    if (page.next === null) break
    after = page.next
  }
  return oldest
}
