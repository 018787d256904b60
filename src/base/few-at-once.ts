import { BoundedQueue } from './bounded-queue.js'

/** Of more than a few in each of so many turns, a larger part is done in one: what comes for long and faster must not pile up. */
const TURNS_MAX = 40

/**
 * Does a few things in a turn of the event loop, the first ones at once, and the others in later turns. The order is kept. It is for what
 * comes in crowds, one by one.
 */
export class FewAtOnce {
  private readonly waiting = new BoundedQueue<() => void>(Number.POSITIVE_INFINITY)
  private left: number
  private isCounting = false

  /** `afterOthers` calls back when other work of the event loop has had its turn. */
  constructor(
    private readonly few: number,
    private readonly afterOthers: (task: () => void) => void,
  ) {
    this.left = few
  }

  /** Does it now, or when those before it are done. */
  do(task: () => void): void {
    this.count()
    if (this.left === 0 || this.waiting.size > 0) {
      this.waiting.push(task)
      return
    }
    this.left -= 1
    task()
  }

  private count(): void {
    if (this.isCounting) return
    this.isCounting = true
    this.afterOthers(() => this.nextTurn())
  }

  private nextTurn(): void {
    this.isCounting = false
    this.left = Math.max(this.few, Math.ceil(this.waiting.size / TURNS_MAX))
    // Before the tasks, one of which may throw.
    if (this.waiting.size > 0) this.count()
    while (this.left > 0 && this.waiting.size > 0) {
      this.left -= 1
      this.waiting.shift()?.()
    }
  }
}
