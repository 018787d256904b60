import { BoundedMap } from '../base/bounded-map.js'
import type { Clock } from '../clock.js'
import type { LaneKey } from '../store/outbox.js'

/** How a receiver is expected to answer. `new`: nothing is known about it. */
export type Standing = 'prompt' | 'new' | 'slow'

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
