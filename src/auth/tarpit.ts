import { BoundedQueue } from '../base/bounded-queue.js'
import { type Scheduler, wakefulScheduler } from '../scheduler.js'

/** How long an answer is delayed: as long as the `Retry-After` of a 503 asks the client to wait. */
export const HOLD_MS = 1000
/** Answers that are delayed at once, a few KiB each with their requests; beyond, answers go out immediately. */
const HELD_MAX = 8192
/** Bytes of the bodies of their requests. */
const HELD_BYTES_MAX = 32 * 1024 * 1024

interface Held {
  readonly untilMs: number
  readonly bytes: number
  release(): void
}

/**
 * Delays refusals by a second, so that clients that ignore `Retry-After` still slow down: a client that waits for its answer
 * cannot send the next request on that connection. An immediate refusal costs nearly as much as serving the request.
 */
export class Tarpit {
  /** In the order in which they are released. */
  private readonly held = new BoundedQueue<Held>(HELD_MAX)
  private bytes = 0

  constructor(
    private readonly now: () => number = () => performance.now(),
    private readonly scheduler: Scheduler = wakefulScheduler,
  ) {}

  get size(): number {
    return this.held.size
  }

  /** Resolves when the answer to a request with a body of so many bytes may go out. */
  hold(bytes: number): Promise<void> {
    if (this.held.isFull || this.bytes + bytes > HELD_BYTES_MAX) return Promise.resolve()
    return new Promise((release) => {
      this.held.push({ untilMs: this.now() + HOLD_MS, bytes, release })
      this.bytes += bytes
      if (this.size === 1) this.wait(HOLD_MS)
    })
  }

  private wait(ms: number): void {
    this.scheduler.after(ms, () => this.releaseDue())
  }

  private releaseDue(): void {
    const now = this.now()
    let next = this.held.peek()
    for (; next !== undefined && next.untilMs <= now; next = this.held.peek()) {
      this.held.shift()
      this.bytes -= next.bytes
      next.release()
    }
    if (next !== undefined) this.wait(next.untilMs - now)
  }
}
