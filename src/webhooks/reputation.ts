import { BoundedMap } from '../base/bounded-map.js'
import type { Clock } from '../clock.js'
import type { LaneKey } from '../store/outbox.js'

/** How a receiver is expected to answer. `new`: nothing is known of it. */
export type Standing = 'prompt' | 'new' | 'slow'

/** Lanes and owners remembered at once, about 10 MB; beyond it those heard of longest ago are forgotten. */
const REMEMBERED_MAX = 65_536

/** An owner's new receivers are expected to be slow for so long after another one was: origins are free to make up. */
const OWNER_SLOW_MS = 10 * 60 * 1000

/** What is remembered of receivers, by lane, and of the owners who name them. In memory: a restart makes all of them new. */
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

  /** The receiver has answered in time, or failed at once. */
  wasPrompt(lane: LaneKey): void {
    this.lanes.set(lane, 'prompt')
  }

  wasSlow(lane: LaneKey, owner: string): void {
    this.lanes.set(lane, 'slow')
    this.slowOwners.set(owner, this.clock.now() + OWNER_SLOW_MS)
  }
}
