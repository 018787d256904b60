import type { Clock } from '../clock.js'
import type { LaneKey } from '../store/store.js'

/** How a receiver is expected to answer. `new`: nothing is known of it. */
export type Standing = 'prompt' | 'new' | 'slow'

/** Lanes and owners remembered at once, about 10 MB; beyond it those heard of longest ago are forgotten. */
const REMEMBERED_MAX = 65_536

/** An owner's new receivers are expected to be slow for so long after another one was: origins are free to make up. */
const OWNER_SLOW_MS = 10 * 60 * 1000

/** What is remembered of receivers, by lane, and of the owners who name them. In memory: a restart makes all of them new. */
export class Reputation {
  private readonly lanes: RecentMap<Exclude<Standing, 'new'>>
  /** Until when the owner's new receivers are expected to be slow, Unix ms. */
  private readonly slowOwners: RecentMap<number>

  constructor(
    private readonly clock: Clock,
    rememberedMax: number = REMEMBERED_MAX,
  ) {
    this.lanes = new RecentMap(rememberedMax / 2)
    this.slowOwners = new RecentMap(rememberedMax / 2)
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

/** Values by name in two generations: when the recent one is full it becomes the earlier one, and the one before is dropped. */
class RecentMap<V> {
  private recent = new Map<string, V>()
  private earlier: ReadonlyMap<string, V> = new Map()

  constructor(private readonly max: number) {}

  get(name: string): V | undefined {
    return this.recent.get(name) ?? this.earlier.get(name)
  }

  set(name: string, value: V): void {
    if (this.recent.size >= this.max / 2 && !this.recent.has(name)) {
      this.earlier = this.recent
      this.recent = new Map()
    }
    this.recent.set(name, value)
  }
}
