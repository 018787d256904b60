import type { Cancel, Scheduler } from '../../src/scheduler.js'

/** A scheduler whose time passes only when the test advances it. */
export class ManualScheduler implements Scheduler {
  private nowMs = 0
  private waiting: { readonly atMs: number; readonly task: () => void }[] = []

  /** Number of scheduled tasks. */
  get pending(): number {
    return this.waiting.length
  }

  after(delayMs: number, task: () => void): Cancel {
    const entry = { atMs: this.nowMs + delayMs, task }
    this.waiting.push(entry)
    return () => {
      this.waiting = this.waiting.filter((other) => other !== entry)
    }
  }

  /** Advances the time and runs what became due, oldest first. */
  pass(ms: number): void {
    this.nowMs += ms
    const due = this.waiting.filter(({ atMs }) => atMs <= this.nowMs).sort((a, b) => a.atMs - b.atMs)
    this.waiting = this.waiting.filter((entry) => !due.includes(entry))
    for (const { task } of due) task()
  }
}
