import type { OutboxLane } from './outbox-lane.js'

/**
 * Slots for attempts, in which owners take turns and none can fill the pool: an owner may add an attempt while fewer of
 * its attempts are in flight than slots are free (dynamic thresholds; Choudhury and Hahne, 1998). One owner gets at
 * most half of the pool, two a third each, and a further one always finds a slot.
 */
export class Pool {
  /** Ready lanes by owner, in the order of the owners' turns. */
  private readonly ready = new Map<string, Set<OutboxLane>>()
  private readonly underWayOf = new Map<string, number>()
  private underWay = 0

  /** `size`: attempts that may be in flight. */
  constructor(private readonly size: number) {}

  /** Puts a lane behind the ready ones of its owner. */
  enter(lane: OutboxLane): void {
    lane.state = 'ready'
    lane.pool = this
    const lanes = this.ready.get(lane.owner)
    if (lanes === undefined) this.ready.set(lane.owner, new Set([lane]))
    else lanes.add(lane)
  }

  leave(lane: OutboxLane): void {
    const lanes = this.ready.get(lane.owner)
    if (lanes?.delete(lane) === true && lanes.size === 0) this.ready.delete(lane.owner)
  }

  /** Takes out the lane whose turn it is; undefined when no ready lane may add an attempt. */
  next(): OutboxLane | undefined {
    if (this.free === 0) return undefined
    // An owner that is passed over has an attempt in flight, so there are fewer of them than slots.
    for (const [owner, lanes] of this.ready) {
      if (this.roomOf(owner) === 0) continue
      for (const lane of lanes) {
        lane.state = 'in_turn'
        lanes.delete(lane)
        this.ready.delete(owner)
        if (lanes.size > 0) this.ready.set(owner, lanes)
        return lane
      }
    }
    return undefined
  }

  /** Attempts that the owner may add now. */
  roomOf(owner: string): number {
    return Math.max(0, Math.ceil((this.free - (this.underWayOf.get(owner) ?? 0)) / 2))
  }

  began(owner: string): void {
    this.underWay += 1
    this.underWayOf.set(owner, (this.underWayOf.get(owner) ?? 0) + 1)
  }

  ended(owner: string): void {
    this.underWay -= 1
    const own = (this.underWayOf.get(owner) ?? 0) - 1
    if (own > 0) this.underWayOf.set(owner, own)
    else this.underWayOf.delete(owner)
  }

  private get free(): number {
    return Math.max(0, this.size - this.underWay)
  }
}
