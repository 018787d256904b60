import { FairQueue } from '../base/fair-queue.js'
import { SharedPlaces } from '../base/shared-places.js'

/** Slots for attempts, in which owners take turns and none can fill the pool. A lane waits for its turn, and an attempt has a slot. */
export class Pool<Lane extends { readonly owner: string }> {
  private readonly ready = new FairQueue<Lane>()
  private readonly slots: SharedPlaces

  /** `size`: attempts that may be in flight. */
  constructor(size: number) {
    this.slots = new SharedPlaces(size)
  }

  /** Puts a lane behind the ready ones of its owner. */
  enter(lane: Lane): void {
    this.ready.add(lane.owner, lane)
  }

  leave(lane: Lane): void {
    this.ready.remove(lane.owner, lane)
  }

  /** Takes out the lane whose turn it is; undefined when no ready lane may add an attempt. */
  next(): Lane | undefined {
    if (this.slots.isFull) return undefined
    // An owner that is passed over has an attempt in flight, so there are fewer of them than slots.
    return this.ready.take((owner) => this.slots.admits(owner))
  }

  /** Attempts that the owner may add now. */
  roomOf(owner: string): number {
    return this.slots.roomFor(owner)
  }

  /** The standing of a lane may change between its turn and its attempts, which then have slots that nobody kept for them. */
  began(owner: string): void {
    this.slots.occupy(owner)
  }

  ended(owner: string): void {
    this.slots.free(owner)
  }
}
