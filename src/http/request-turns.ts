import { FairQueue } from '../base/fair-queue.js'

/**
 * How long requests may hold the main thread in one turn of the event loop after it was noticed that they do, which takes as long at
 * most. The last one is not interrupted.
 */
const TURN_MS = 4

export interface RequestTurnsOptions {
  /** Milliseconds on a clock that does not jump. */
  readonly now: () => number
  /** Calls back when other work of the event loop has had its turn. */
  readonly afterOthers: (task: () => void) => void
  /** Calls back when everything has run that does not wait for other work of the event loop. */
  readonly afterThis: (task: () => void) => void
}

/** The machine's event loop. */
export const REQUEST_LOOP: RequestTurnsOptions = {
  now: () => performance.now(),
  afterOthers: (task) => {
    setImmediate(task)
  },
  // A tick comes when the microtasks are done, and the handlers of many requests go on in those.
  afterThis: (task) => {
    queueMicrotask(() => process.nextTick(task))
  },
}

/**
 * Requests begin one after the other, and together hold the main thread for a few milliseconds only: an engine hands over at once what
 * hundreds of connections have sent, and each may take a millisecond. Those beyond wait for the next turn of the event loop, client by
 * client.
 *
 * A turn of the event loop is watched for only every few milliseconds, because each watch costs the loop a round without waiting.
 */
export class RequestTurns {
  private readonly waiting = new FairQueue<() => void>()
  /** Until then requests begin at once. */
  private endsAt = 0
  /** Whether the present turn of the event loop is the one in which the time began. */
  private isSameTurn = false

  constructor(private readonly options: RequestTurnsOptions) {}

  /** Whether a request may begin at once: there is time, and nobody waits. */
  isFree(): boolean {
    return this.waiting.isEmpty && this.hasTime()
  }

  /** Begins a request when it is the client's turn. */
  wait<T>(client: string, handle: () => T | Promise<T>): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      this.waiting.add(client, () => {
        try {
          resolve(handle())
        } catch (error) {
          reject(error)
        }
      })
    })
  }

  private hasTime(): boolean {
    const now = this.options.now()
    if (now < this.endsAt) return true
    if (this.isSameTurn) return false
    this.endsAt = now + TURN_MS
    this.isSameTurn = true
    this.options.afterOthers(() => {
      this.isSameTurn = false
      this.serve()
    })
    return true
  }

  private serve(): void {
    if (this.waiting.isEmpty || !this.hasTime()) return
    this.waiting.take()?.()
    this.options.afterThis(() => this.serve())
  }
}
