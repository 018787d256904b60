/** A bounded queue of requests that wait for a verify worker, in which no key holds up another. */

import { VerifyLane, type WaitingRequest } from './verify-lane.js'

/**
 * Keys take turns, one request each, and none may fill the lane: a key is admitted while it has fewer requests waiting
 * than there are free places (dynamic thresholds; Choudhury and Hahne, 1998). One key therefore takes at most half of
 * the lane, two a third each, and whoever comes next still finds room.
 */
export class FairLane {
  readonly #limit: number
  readonly #limitBytes: number
  /** A queue for each key that waits, in the order of their turns. */
  readonly #queues = new Map<string, VerifyLane>()
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

  /** Whether a request of that key and size fits now. */
  admits(key: string, bytes: number): boolean {
    const own = this.#queues.get(key)?.length ?? 0
    return own < this.#limit - this.#length && this.#bytes + bytes <= this.#limitBytes
  }

  /** Call only after `admits`. */
  push(key: string, entry: WaitingRequest): void {
    let queue = this.#queues.get(key)
    if (queue === undefined) {
      queue = new VerifyLane(this.#limit, this.#limitBytes)
      this.#queues.set(key, queue)
    }
    queue.push(entry)
    this.#length += 1
    this.#bytes += entry.bytes
  }

  /** Moves requests, at most `count`, to the end of `batch`: of each key its oldest, then each one's next. */
  take(count: number, batch: WaitingRequest[]): void {
    for (let taken = 0; taken < count; taken += 1) {
      const next = this.#queues.entries().next()
      if (next.done === true) return
      const [key, queue] = next.value
      queue.take(1, batch)
      this.#length -= 1
      this.#bytes -= batch.at(-1)?.bytes ?? 0
      // Behind the others, if anything of it is left.
      this.#queues.delete(key)
      if (queue.length > 0) this.#queues.set(key, queue)
    }
  }
}
