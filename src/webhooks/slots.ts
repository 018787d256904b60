import type { Clock } from '../clock.js'
import type { Cancel, Scheduler } from '../scheduler.js'
import type { OutboxLane } from './outbox-lane.js'
import { Pool } from './pool.js'
import { Reputation, type Standing } from './reputation.js'

/** A receiver that has not answered after this time is slow. */
const LATE_MS = 1000

/** What an attempt holds until it is answered. */
export interface Slot {
  /** The attempt is being sent: from now on the receiver can be late. */
  sent(): void
  /** The receiver has answered, or failed. */
  answered(): void
  /** Gives the slot back. Further calls have no effect. */
  free(): void
}

/** The shares of all slots for new and for slow receivers. The rest is for prompt ones. */
const NEW_FRACTION = 1 / 8
const SLOW_FRACTION = 1 / 8

/**
 * The slots for attempts, shared by how receivers are expected to answer, so that those that hang delay only each
 * other:
 * ```
 *  prompt  3/4  answered within a second the last time
 *  new     1/8  nothing is known, and no receiver of the owner was slow recently
 *  slow    1/8  did not answer within a second the last time
 * ```
 * An attempt to a prompt or new receiver that takes longer than a second gives its slot back and continues beside the
 * slots. At most as many attempts as there are slots may do so; further ones keep theirs.
 */
export class Slots {
  private readonly pools: Readonly<Record<Standing, Pool>>
  /** The pool that was served last is last. */
  private order: readonly Pool[]
  private readonly reputation: Reputation
  private besideCount = 0

  constructor(
    private readonly size: number,
    clock: Clock,
    private readonly scheduler: Scheduler,
    /** Called when a late attempt has given its slot back. */
    private readonly onFree: () => void,
  ) {
    const ofNew = Math.max(1, Math.floor(size * NEW_FRACTION))
    const ofSlow = Math.max(1, Math.floor(size * SLOW_FRACTION))
    const ofPrompt = Math.max(1, size - ofNew - ofSlow)
    this.pools = { prompt: new Pool(ofPrompt), new: new Pool(ofNew), slow: new Pool(ofSlow) }
    this.order = [this.pools.prompt, this.pools.new, this.pools.slow]
    this.reputation = new Reputation(clock)
  }

  /** Attempts that continue beside the slots. */
  get beside(): number {
    return this.besideCount
  }

  /** Lets a lane take turns in the pool of its standing. */
  enter(lane: OutboxLane): void {
    this.poolOf(lane).enter(lane)
  }

  leave(lane: OutboxLane): void {
    lane.pool?.leave(lane)
  }

  /** The lane whose turn it is; undefined when no ready lane may add an attempt. */
  next(): OutboxLane | undefined {
    for (const pool of this.order) {
      const lane = pool.next()
      if (lane === undefined) continue
      this.order = [...this.order.filter((other) => other !== pool), pool]
      return lane
    }
    return undefined
  }

  /** Attempts that a lane in turn may add; none when its standing has changed since it entered. */
  roomFor(lane: OutboxLane): number {
    const { pool, owner } = lane
    return pool === this.poolOf(lane) ? Math.min(lane.room, pool.roomOf(owner)) : 0
  }

  /** A slot for an attempt of a lane that has room. */
  take(lane: OutboxLane): Slot {
    const { key, owner } = lane
    const pool = this.poolOf(lane)
    pool.began(owner)
    let state: 'held' | 'late' | 'beside' | 'free' = 'held'
    let cancel: Cancel = () => {}
    return {
      sent: () => {
        cancel = this.scheduler.after(LATE_MS, () => {
          this.reputation.wasSlow(key, owner)
          state = 'late'
          if (pool === this.pools.slow || this.besideCount >= this.size) return
          state = 'beside'
          this.besideCount += 1
          pool.ended(owner)
          this.onFree()
        })
      },
      answered: () => {
        if (state === 'held') this.reputation.wasPrompt(key)
      },
      free: () => {
        cancel()
        if (state === 'beside') this.besideCount -= 1
        else if (state !== 'free') pool.ended(owner)
        state = 'free'
      },
    }
  }

  private poolOf({ key, owner }: OutboxLane): Pool {
    return this.pools[this.reputation.standingOf(key, owner)]
  }
}
