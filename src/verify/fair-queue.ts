import { RequestQueue, type WaitingRequest } from './request-queue.js'

/**
 * Requests that wait for a verification thread, by flow: a key together with a client. Flows take turns, one request each. A
 * flow is admitted while it has fewer requests waiting than there are free places (dynamic thresholds; Choudhury and Hahne,
 * 1998), so one flow takes at most half of the queue, two a third each, and a new flow still finds room.
 */
export class FairQueue {
  /** The waiting flows, in the order of their turns. */
  private readonly flows = new Map<string, RequestQueue>()
  private size = 0
  private bytes = 0

  /** At most `limit` requests that together take at most `limitBytes`. */
  constructor(
    private readonly limit: number,
    private readonly limitBytes: number,
  ) {}

  get length(): number {
    return this.size
  }

  /** Whether a request of this flow and size fits now. */
  admits(flow: string, bytes: number): boolean {
    const own = this.flows.get(flow)?.length ?? 0
    return own < this.limit - this.size && this.bytes + bytes <= this.limitBytes
  }

  /** Whether requests of this flow wait. */
  has(flow: string): boolean {
    return this.flows.has(flow)
  }

  /** Call it after `admits`. */
  push(flow: string, entry: WaitingRequest): void {
    let queue = this.flows.get(flow)
    if (queue === undefined) {
      queue = new RequestQueue(this.limit, this.limitBytes)
      this.flows.set(flow, queue)
    }
    queue.push(entry)
    this.size += 1
    this.bytes += entry.bytes
  }

  /** Moves requests, at most `count`, to the end of `batch`: the oldest of each flow, then the next of each. */
  take(count: number, batch: WaitingRequest[]): void {
    for (let taken = 0; taken < count; taken += 1) {
      const next = this.flows.entries().next()
      if (next.done === true) return
      const [flow, queue] = next.value
      queue.take(1, batch)
      this.size -= 1
      this.bytes -= batch.at(-1)?.bytes ?? 0
      // Behind the other flows, if any of its requests are left.
      this.flows.delete(flow)
      if (queue.length > 0) this.flows.set(flow, queue)
    }
  }
}
