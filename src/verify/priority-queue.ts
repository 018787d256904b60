/** A bounded queue of requests that wait for a verify worker. It refuses what does not fit; it never drops. */

import type { VerifyRequest } from './wire.js'

/** A request, and the caller's promise for its verdict. */
export interface WaitingRequest {
  readonly request: VerifyRequest
  /** What it adds to a batch, and is charged with here. */
  readonly bytes: number
  /** When it began to wait, in ms on the pool's clock. */
  readonly since: number
  /** Whether its key has a record, so that the verdict counts for or against it. */
  readonly isRegistered: boolean
  /** Whether it waits without priority although its key has a record. */
  readonly isSuspect: boolean
  /** Whom it came from. */
  readonly client: () => string
  resolve(valid: boolean): void
  reject(error: Error): void
}

export class PriorityQueue {
  readonly #limit: number
  readonly #limitBytes: number
  /** The queue is what lies from `#head` on; the taken places before it are given back now and then. */
  #entries: (WaitingRequest | undefined)[] = []
  #head = 0
  #bytes = 0

  /** At most `limit` requests that together take at most `limitBytes`. */
  constructor(limit: number, limitBytes: number) {
    this.#limit = limit
    this.#limitBytes = limitBytes
  }

  get length(): number {
    return this.#entries.length - this.#head
  }

  /** Whether a request of that size fits now. */
  admits(bytes: number): boolean {
    return this.length < this.#limit && this.#bytes + bytes <= this.#limitBytes
  }

  /** Call only after `admits`. */
  push(entry: WaitingRequest): void {
    this.#bytes += entry.bytes
    this.#entries.push(entry)
  }

  /** Moves the oldest requests, at most `count`, to the end of `batch`. */
  take(count: number, batch: WaitingRequest[]): void {
    const end = Math.min(this.#head + count, this.#entries.length)
    for (; this.#head < end; this.#head++) {
      const entry = this.#entries[this.#head]
      if (entry === undefined) throw new Error('A verify lane lost a request.')
      this.#entries[this.#head] = undefined
      this.#bytes -= entry.bytes
      batch.push(entry)
    }
    // Compacting when half is free costs amortised constant time for each request.
    if (this.#head * 2 >= this.#entries.length) {
      this.#entries = this.#entries.slice(this.#head)
      this.#head = 0
    }
  }
}
