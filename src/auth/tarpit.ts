import { BoundedQueue } from '../base/bounded-queue.js'
import { type Scheduler, wakefulScheduler } from '../scheduler.js'

/** How long a refusal is held back: as long as the `Retry-After` of a 503 asks the client to wait. */
export const HOLD_MS = 1000
/** Refusals held back at once, a few KiB each with what is kept of their requests; beyond, they are answered at once. */
const HELD_MAX = 8192
/** Bytes of the bodies of their requests. */
const HELD_BYTES_MAX = 32 * 1024 * 1024

interface Held {
  readonly untilMs: number
  readonly bytes: number
  release(): void
}

/**
 * Answers that are held back, so that whoever sends what nobody has time for comes back after a second also when they do
 * not heed `Retry-After`: a client that waits for its answer cannot send the next request on that connection. Without
 * this, refusing a flood costs most of what serving it would.
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

  /** Resolves when the refusal of a request with so large a body may be answered. */
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
