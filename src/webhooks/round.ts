import type { Lane } from './lane.js'

/** One owner has at most this fraction of all places, but never fewer than one destination may have. */
const OWNER_FRACTION = 1 / 8

interface OwnerShare {
  underWay: number
  /** Lanes that wait until the owner has a free place. */
  readonly waiting: Set<Lane>
}

/**
 * Whose turn it is: lanes take turns round robin, and no owner has more than a share of the attempts under way, however
 * many destinations they name.
 */
export class Round {
  private readonly ready = new Set<Lane>()
  private readonly owners = new Map<string, OwnerShare>()

  private readonly ownerLimit: number

  constructor(concurrency: number, concurrencyPerDestination: number) {
    this.ownerLimit = Math.max(concurrencyPerDestination, Math.ceil(concurrency * OWNER_FRACTION))
  }

  get hasReady(): boolean {
    return this.ready.size > 0
  }

  /** Puts a lane that rests at the end of the round. */
  enter(lane: Lane): void {
    lane.place = 'ready'
    this.ready.add(lane)
  }

  /** The lane whose turn it is, taken out of the round. */
  next(): Lane | undefined {
    for (const lane of this.ready) {
      this.ready.delete(lane)
      lane.place = 'in_turn'
      return lane
    }
    return undefined
  }

  /** Takes a lane out, wherever it waits. */
  leave(lane: Lane): void {
    this.ready.delete(lane)
    if (lane.owner !== null) this.owners.get(lane.owner)?.waiting.delete(lane)
  }

  /** Attempts that the owner may add. */
  roomOf(owner: string): number {
    return this.ownerLimit - (this.owners.get(owner)?.underWay ?? 0)
  }

  /** Lets a lane wait for a place of its owner, who has none now. */
  waitForOwner(lane: Lane, owner: string): void {
    lane.place = 'waiting_for_owner'
    this.shareOf(owner).waiting.add(lane)
  }

  began(owner: string): void {
    this.shareOf(owner).underWay += 1
  }

  ended(owner: string): void {
    this.shareOf(owner).underWay -= 1
    this.letNextIn(owner)
  }

  /** To be called after a turn too: it may have left places of its owner to the next lane. */
  letNextIn(owner: string): void {
    const share = this.owners.get(owner)
    if (share === undefined) return
    if (share.underWay < this.ownerLimit) {
      for (const lane of share.waiting) {
        share.waiting.delete(lane)
        this.enter(lane)
        break
      }
    }
    if (share.underWay === 0 && share.waiting.size === 0) this.owners.delete(owner)
  }

  private shareOf(owner: string): OwnerShare {
    const known = this.owners.get(owner)
    if (known !== undefined) return known
    const share = { underWay: 0, waiting: new Set<Lane>() }
    this.owners.set(owner, share)
    return share
  }
}
