import type { Logger } from '../log.js'
import type { Cancel, Scheduler } from '../scheduler.js'

export interface BackgroundWorkOptions {
  /** Does a piece, so small that no request notices; answers whether more is left. */
  readonly piece: () => Promise<boolean>
  /** Pause between two pieces, for others. */
  readonly pauseMs: number
  /** Pause when nothing is left. */
  readonly roundMs: number
  readonly scheduler: Scheduler
  readonly log: Logger
  /** Logged once when pieces begin to fail. */
  readonly complaint: string
}

/** Does what can wait, a piece at a time. When a piece fails, it waits for the next round. */
export class BackgroundWork {
  private cancel: Cancel | null = null
  private underWay: Promise<void> = Promise.resolve()
  private isStopped = false
  private hasComplained = false

  constructor(private readonly options: BackgroundWorkOptions) {}

  start(): void {
    this.wait(this.options.roundMs)
  }

  /** Resolves when no piece is in progress. */
  async stop(): Promise<void> {
    this.isStopped = true
    this.cancel?.()
    await this.underWay
  }

  private wait(delayMs: number): void {
    if (this.isStopped) return
    this.cancel = this.options.scheduler.after(delayMs, () => {
      this.underWay = this.step()
    })
  }

  private async step(): Promise<void> {
    const { piece, pauseMs, roundMs, log, complaint } = this.options
    let isMoreLeft = false
    try {
      isMoreLeft = await piece()
      this.hasComplained = false
    } catch (error) {
      // The disk or the queue is full, and this can wait.
      if (!this.hasComplained) log.warn({ err: error }, complaint)
      this.hasComplained = true
    }
    this.wait(isMoreLeft ? pauseMs : roundMs)
  }
}
