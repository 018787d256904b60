import type { Cancel, Scheduler } from '../scheduler.js'

/** Tasks that may wait; a further one runs without delay. */
const WAITING_MAX = 100_000
/** Attempts at a task before it is given up. */
const ATTEMPTS_MAX = 5

interface Task {
  readonly delayMs: number
  readonly run: () => Promise<void>
  attempts: number
  /** Null while it runs. */
  stopTimer: Cancel | null
}

/** Tasks that run after a delay, by key. Those that still wait when it is closed run then, so a clean stop loses nothing. */
export class Postponed {
  private readonly tasks = new Map<string, Task>()
  private readonly running = new Set<Promise<void>>()
  private isClosed = false

  constructor(
    private readonly scheduler: Scheduler,
    private readonly onError: (error: unknown) => void,
  ) {}

  /**
   * Runs `run` after the delay. When it rejects, `onError` is called and the task is retried after the same delay, up to
   * `ATTEMPTS_MAX` attempts. Ignored while the key waits or runs, and after `close`.
   */
  add(key: string, delayMs: number, run: () => Promise<void>): void {
    if (this.isClosed || this.tasks.has(key)) return
    const task: Task = { delayMs, run, attempts: 0, stopTimer: null }
    this.tasks.set(key, task)
    if (this.tasks.size > WAITING_MAX) this.begin(key, task)
    else this.wait(key, task)
  }

  /** Forgets the key. A running task runs to its end, but is not retried. */
  cancel(key: string): void {
    const task = this.tasks.get(key)
    task?.stopTimer?.()
    this.tasks.delete(key)
  }

  /** Runs what still waits at once, and resolves when nothing runs. */
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
