import type { Clock } from '../../src/clock.js'
import type { Cancel, Scheduler } from '../../src/scheduler.js'
import type { ManualClock } from '../support/manual-clock.js'

interface Task {
  readonly atMs: number
  readonly delayMs: number
  readonly run: () => void
}

/** Clock and timers of one time, which passes from one task to the next when the test says so. */
export class VirtualTime implements Clock, Scheduler {
  private tasks: Task[] = []

  constructor(private readonly clock: ManualClock) {}

  now(): number {
    return this.clock.now()
  }

  after(delayMs: number, run: () => void): Cancel {
    const task = { atMs: this.now() + delayMs, delayMs, run }
    this.tasks.push(task)
    return () => {
      this.tasks = this.tasks.filter((other) => other !== task)
    }
  }

  /** How many tasks wait that were put off by just this long, and how many others. */
  waiting(delayMs: number): { readonly such: number; readonly others: number } {
    const such = this.tasks.filter((task) => task.delayMs === delayMs).length
    return { such, others: this.tasks.length - such }
  }

  /** When the next task is due. */
  get nextMs(): number {
    return Math.min(...this.tasks.map(({ atMs }) => atMs))
  }

  /** Lets the time be this, and runs what is due then. */
  pass(toMs: number): void {
    this.clock.set(Math.max(toMs, this.now()))
    const due = this.tasks.filter(({ atMs }) => atMs <= toMs).sort((a, b) => a.atMs - b.atMs)
    this.tasks = this.tasks.filter((task) => !due.includes(task))
    for (const { run } of due) run()
  }
}
