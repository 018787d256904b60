import type { Cancel, Scheduler } from '../scheduler.js'

/** Tasks that may wait; a further one is done without delay, which is the better of two ways to bound memory. */
const WAITING_MAX = 100_000
/** How often a task is tried before it is given up. */
const ATTEMPTS_MAX = 5

interface Task {
  readonly delayMs: number
  readonly run: () => Promise<void>
  attempts: number
  /** Null while it runs. */
  stopTimer: Cancel | null
}

/** Work that happens a little later, by key. What still waits when it is closed happens then, so a clean stop loses nothing. */
export class Postponed {
  private readonly tasks = new Map<string, Task>()
  private readonly running = new Set<Promise<void>>()
  private isClosed = false

  constructor(
    private readonly scheduler: Scheduler,
    private readonly onError: (error: unknown) => void,
  ) {}

  /**
   * Runs `run` after the delay. When it rejects it is told to `onError` and tried again after the same delay, a few
   * times. A key that is waiting or running keeps what it has. Ignored after `close`.
   */
  add(key: string, delayMs: number, run: () => Promise<void>): void {
    if (this.isClosed || this.tasks.has(key)) return
    const task: Task = { delayMs, run, attempts: 0, stopTimer: null }
    this.tasks.set(key, task)
    if (this.tasks.size > WAITING_MAX) this.begin(key, task)
    else this.wait(key, task)
  }

  /** Forgets the key. What runs already runs to its end, but is not tried again. */
  cancel(key: string): void {
    const task = this.tasks.get(key)
    task?.stopTimer?.()
    this.tasks.delete(key)
  }

  /** Does at once what still waits, and resolves when nothing runs. */
  async close(): Promise<void> {
    this.isClosed = true
    for (const [key, task] of this.tasks) {
      if (task.stopTimer === null) continue
      task.stopTimer()
      this.begin(key, task)
    }
    await Promise.all(this.running)
  }

  private wait(key: string, task: Task): void {
    task.stopTimer = this.scheduler.after(task.delayMs, () => this.begin(key, task))
  }

  private begin(key: string, task: Task): void {
    task.stopTimer = null
    task.attempts += 1
    const run = this.attempt(key, task).finally(() => this.running.delete(run))
    this.running.add(run)
  }

  private async attempt(key: string, task: Task): Promise<void> {
    try {
      await task.run()
    } catch (error) {
      this.onError(error)
      if (this.tasks.get(key) !== task) return
      if (!this.isClosed && task.attempts < ATTEMPTS_MAX) {
        this.wait(key, task)
        return
      }
    }
    if (this.tasks.get(key) === task) this.tasks.delete(key)
  }
}
