import { BoundedQueue } from '../base/bounded-queue.js'
import type { VerifyRequest } from './wire.js'

/** A request that waits for a verification thread, and the caller's promise for its verdict. */
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
  /** The client that sent it. */
  readonly client: () => string
  resolve(valid: boolean): void
  reject(error: Error): void
}

/** Requests, first in, first out, bounded by their number and their bytes. */
export class RequestQueue {
  private readonly requests: BoundedQueue<WaitingRequest>
  private bytes = 0

  /** At most `limit` requests that together take at most `limitBytes`. */
  constructor(
    limit: number,
    private readonly limitBytes: number,
  ) {
    this.requests = new BoundedQueue(limit)
  }

  get length(): number {
    return this.requests.size
  }

  /** Whether a request of this size fits now. */
  admits(bytes: number): boolean {
    return !this.requests.isFull && this.bytes + bytes <= this.limitBytes
  }

  /** Throws when the queue is full: call it after `admits`. */
  push(entry: WaitingRequest): void {
    this.requests.push(entry)
    this.bytes += entry.bytes
  }

  /** Moves the oldest requests, at most `count`, to the end of `batch`. */
  take(count: number, batch: WaitingRequest[]): void {
    for (let taken = 0; taken < count; taken += 1) {
      const entry = this.requests.shift()
      if (entry === undefined) return
      this.bytes -= entry.bytes
      batch.push(entry)
    }
  }
}
