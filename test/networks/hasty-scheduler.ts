import { type Cancel, type Scheduler, wakefulScheduler } from '../../src/scheduler.js'
import type { ManualClock } from '../support/manual-clock.js'

/** For the words of a refusal. Pauses are longer, and other turns come at other times. */
const WORDS_MS = 1000

/** Time passes at once while somebody waits for a turn at a node. Requests, which may take longer, have real time. */
export class HastyScheduler implements Scheduler {
  constructor(
    private readonly clock: ManualClock,
    private readonly requestMs: number,
  ) {}

  after(delayMs: number, task: () => void): Cancel {
    if (delayMs === WORDS_MS || delayMs >= this.requestMs) return wakefulScheduler.after(delayMs, task)
    const passing = setImmediate(() => {
      this.clock.advance(delayMs)
      task()
    })
    return () => clearImmediate(passing)
  }
}
