import type { Cancel } from '../../src/scheduler.js'
import { ManualScheduler } from '../support/manual-scheduler.js'

/** A scheduler of the test's that remembers how long each delay was to be, and tells when somebody waits. */
export class NoticedScheduler extends ManualScheduler {
  readonly delays: number[] = []
  private wakers: (() => void)[] = []

  override after(delayMs: number, task: () => void): Cancel {
    this.delays.push(delayMs)
    for (const wake of this.wakers.splice(0)) wake()
    return super.after(delayMs, task)
  }

  /** Resolves when somebody waits for time to pass. */
  async waited(): Promise<void> {
    if (this.pending === 0) await new Promise<void>((resolve) => this.wakers.push(resolve))
  }
}
