import { FairQueue } from '../base/fair-queue.js'
import { SharedPlaces } from '../base/shared-places.js'
import type { WaitingRequest } from './request-queue.js'

/**
 * Requests by flow: a key together with a client. Flows take turns, one request each, and share the places of the queue, so that
 * none can fill it.
 */
export class FlowQueue {
  private readonly waiting = new FairQueue<{ readonly flow: string; readonly entry: WaitingRequest }>()
  private readonly places: SharedPlaces
  private bytes = 0

  /** At most `limit` requests that together take at most `limitBytes`. */
  constructor(
    limit: number,
    private readonly limitBytes: number,
  ) {
    this.places = new SharedPlaces(limit)
  }

  get length(): number {
    return this.places.taken
  }

  /** Whether a request of this flow and size fits now. */
  admits(flow: string, bytes: number): boolean {
    return this.places.admits(flow) && this.bytes + bytes <= this.limitBytes
  }

  /** Whether requests of this flow wait. */
  has(flow: string): boolean {
    return this.waiting.has(flow)
  }

  /** Throws when the flow has no place left: call it after `admits`. */
  push(flow: string, entry: WaitingRequest): void {
    if (!this.places.take(flow)) throw new Error('a flow without a place was pushed to')
    this.waiting.add(flow, { flow, entry })
    this.bytes += entry.bytes
  }

  /** Moves requests, at most `count`, to the end of `batch`: the oldest of each flow, then the next of each. */
  take(count: number, batch: WaitingRequest[]): void {
    for (let taken = 0; taken < count; taken += 1) {
      const next = this.waiting.take()
      if (next === undefined) return
      this.places.free(next.flow)
      this.bytes -= next.entry.bytes
      batch.push(next.entry)
    }
  }
}
