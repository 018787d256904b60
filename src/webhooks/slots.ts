import { BoundedMap } from '../base/bounded-map.js'
import type { Clock } from '../clock.js'
import type { Cancel, Scheduler } from '../scheduler.js'
import type { LaneKey } from '../store/outbox.js'
import type { OutboxLane } from './outbox-lane.js'
import { Pool } from './pool.js'

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
  private readonly pools: Readonly<Record<Standing, Pool<OutboxLane>>>
  /** The pool that was served last is last. */
  private order: readonly Pool<OutboxLane>[]
  private readonly reputation: Reputation
  /** Attempts that continue beside the slots. */
  beside = 0

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

  /** Lets a lane take turns in the pool of its standing. */
  enter(lane: OutboxLane): void {
    const pool = this.poolOf(lane)
    lane.enter(pool)
    pool.enter(lane)
  }

  /** The lane whose turn it is; undefined when no ready lane may add an attempt. */
  next(): OutboxLane | undefined {
    for (const pool of this.order) {
      const lane = pool.next()
      if (lane === undefined) continue
      this.order = [...this.order.filter((other) => other !== pool), pool]
      lane.beginTurn()
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
          if (pool === this.pools.slow || this.beside >= this.size) return
          state = 'beside'
          this.beside += 1
          pool.ended(owner)
          this.onFree()
        })
      },
      answered: () => {
        if (state === 'held') this.reputation.wasPrompt(key)
      },
      free: () => {
        cancel()
        if (state === 'beside') this.beside -= 1
        else if (state !== 'free') pool.ended(owner)
        state = 'free'
      },
    }
  }

  private poolOf({ key, owner }: OutboxLane): Pool<OutboxLane> {
    return this.pools[this.reputation.standingOf(key, owner)]
  }
}

/** How a receiver is expected to answer. `new`: nothing is known about it. */
type Standing = 'prompt' | 'new' | 'slow'

/** Lanes and owners remembered, about 10 MB; the least recently used are forgotten. */
const REMEMBERED_MAX = 65_536

/**
 * After one receiver of an owner was slow, its new ones are expected to be slow for this time: origins are easy to
 * invent.
 */
const OWNER_SLOW_MS = 10 * 60 * 1000

/** What is known about receivers, by lane, and about their owners. It is in memory: after a restart all are new. */
export class Reputation {
  private readonly lanes: BoundedMap<LaneKey, Exclude<Standing, 'new'>>
  /** Until when the owner's new receivers are expected to be slow, Unix ms. */
  private readonly slowOwners: BoundedMap<string, number>

  constructor(
    private readonly clock: Clock,
    rememberedMax: number = REMEMBERED_MAX,
  ) {
    this.lanes = new BoundedMap(rememberedMax / 2)
    this.slowOwners = new BoundedMap(rememberedMax / 2)
  }

  standingOf(lane: LaneKey, owner: string): Standing {
    const known = this.lanes.get(lane)
    if (known !== undefined) return known
    return (this.slowOwners.get(owner) ?? 0) > this.clock.now() ? 'slow' : 'new'
  }

  /** The receiver answered in time, or failed at once. */
  wasPrompt(lane: LaneKey): void {
    this.lanes.set(lane, 'prompt')
  }

  wasSlow(lane: LaneKey, owner: string): void {
    this.lanes.set(lane, 'slow')
    this.slowOwners.set(owner, this.clock.now() + OWNER_SLOW_MS)
  }
}
