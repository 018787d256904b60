import { REFUSAL_MS_MAX } from '../../src/networks/node/http-json.js'
import { type Cancel, type Scheduler, wakefulScheduler } from '../../src/scheduler.js'
import type { ManualClock } from '../support/manual-clock.js'

/** Time passes at once while somebody waits for a turn at a node. Requests, which may take longer, have real time. */
export class HastyScheduler implements Scheduler {
  constructor(
    private readonly clock: ManualClock,
    private readonly requestMs: number,
  ) {}

  after(delayMs: number, task: () => void): Cancel {
    // The words of a refusal arrive in real time, too. No turn at a node comes after just as long.
    if (delayMs === REFUSAL_MS_MAX || delayMs >= this.requestMs) return wakefulScheduler.after(delayMs, task)
    const passing = setImmediate(() => {
      this.clock.advance(delayMs)
      task()
    })
    return () => clearImmediate(passing)
  }
}
