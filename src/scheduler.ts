/** Where delays come from, passed in so that a test can own them. */
export interface Scheduler {
  /** Calls back once after the delay, unless cancelled. */
  after(delayMs: number, task: () => void): Cancel
}

/** Cancels what was scheduled; without effect once it has happened. */
export type Cancel = () => void

/** The machine's timers. They do not keep the process running. */
export const systemScheduler: Scheduler = {
  after(delayMs, task) {
    const timer = setTimeout(task, delayMs)
    timer.unref()
    return () => clearTimeout(timer)
  },
}

/** The machine's timers, for pauses in work that must be finished: they keep the process running. */
export const wakefulScheduler: Scheduler = {
  after(delayMs, task) {
    const timer = setTimeout(task, delayMs)
    return () => clearTimeout(timer)
  },
}

/** Resolves after the delay, or as soon as `signal` is aborted. Never rejects. */
export function pause(scheduler: Scheduler, delayMs: number, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve()
  return new Promise((resolve) => {
    const end = () => {
      cancel()
      signal.removeEventListener('abort', end)
      resolve()
    }
    const cancel = scheduler.after(delayMs, end)
    signal.addEventListener('abort', end)
  })
}
