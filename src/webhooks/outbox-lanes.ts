import type { LaneKey, LaneOfOwner } from '../store/outbox.js'
import { OutboxLane } from './outbox-lane.js'

/** The lanes that have something queued or in flight. */
export class OutboxLanes {
  private readonly lanes = new Map<LaneKey, OutboxLane>()
  private whenEmpty: (() => void)[] = []

  /** `windowMax`: attempts that one lane may have in flight. */
  constructor(private readonly windowMax: number) {}

  get size(): number {
    return this.lanes.size
  }

  /** The lane, created on first use. */
  of({ lane: key, owner }: LaneOfOwner): OutboxLane {
    const known = this.lanes.get(key)
    if (known !== undefined) return known
    const lane = new OutboxLane(key, owner, this.windowMax)
    this.lanes.set(key, lane)
    return lane
  }

  forget(lane: OutboxLane): void {
    this.lanes.delete(lane.key)
    if (this.lanes.size === 0) for (const resolve of this.whenEmpty.splice(0)) resolve()
  }

  /** Resolves when there are no lanes. */
  empty(): Promise<void> {
    if (this.lanes.size === 0) return Promise.resolve()
    return new Promise((resolve) => this.whenEmpty.push(resolve))
  }
}
