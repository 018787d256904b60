/** A bounded queue of requests that wait for a verify worker, in which no flow holds up another: a key with a client. */

import { PriorityQueue, type WaitingRequest } from './priority-queue.js'

/**
 * Flows take turns, one request each, and none may fill the lane: a flow is admitted while it has fewer requests waiting
 * than there are free places (dynamic thresholds; Choudhury and Hahne, 1998). One flow therefore takes at most half of
 * the lane, two a third each, and whoever comes next still finds room.
 */
export class FairQueue {
  readonly #limit: number
  readonly #limitBytes: number
  /** A queue for each flow that waits, in the order of their turns. */
  readonly #queues = new Map<string, PriorityQueue>()
  #length = 0
  #bytes = 0

  /** At most `limit` requests that together take at most `limitBytes`. */
  constructor(limit: number, limitBytes: number) {
    this.#limit = limit
    this.#limitBytes = limitBytes
  }

  get length(): number {
    return this.#length
  }

  /** Whether a request of that flow and size fits now. */
  admits(flow: string, bytes: number): boolean {
    const own = this.#queues.get(flow)?.length ?? 0
    return own < this.#limit - this.#length && this.#bytes + bytes <= this.#limitBytes
  }

  /** Whether requests of that flow wait. */
  has(flow: string): boolean {
    return this.#queues.has(flow)
  }

  /** Call only after `admits`. */
  push(flow: string, entry: WaitingRequest): void {
    let queue = this.#queues.get(flow)
    if (queue === undefined) {
      queue = new PriorityQueue(this.#limit, this.#limitBytes)
      this.#queues.set(flow, queue)
    }
    queue.push(entry)
    this.#length += 1
    this.#bytes += entry.bytes
  }

  /** Moves requests, at most `count`, to the end of `batch`: of each flow its oldest, then each one's next. */
  take(count: number, batch: WaitingRequest[]): void {
    for (let taken = 0; taken < count; taken += 1) {
      const next = this.#queues.entries().next()
      if (next.done === true) return
      const [flow, queue] = next.value
      queue.take(1, batch)
      this.#length -= 1
      this.#bytes -= batch.at(-1)?.bytes ?? 0
      // Behind the others, if anything of it is left.
      this.#queues.delete(flow)
      if (queue.length > 0) this.#queues.set(flow, queue)
    }
  }
}
