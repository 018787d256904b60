import type { Clock } from '../clock.js'
import type { Logger } from '../log.js'
import type { Cancel, Scheduler } from '../scheduler.js'
import type { CommandPort } from '../store/commands.js'
import type { OutboxPort } from '../store/outbox.js'
import type { LedgerPort, RemovedRows } from '../store/store.js'

/** Maximum rows removed in one commit, so few that no request notices. */
const PIECE_ROWS = 200
/** Pause between two removals, for other commits. */
const PIECE_PAUSE_MS = 50
/** Pause when nothing is left to remove. */
const ROUND_PAUSE_MS = 60_000

export interface RetentionOptions {
  readonly store: {
    readonly commands: Pick<CommandPort, 'removeExpiredRequests'>
    readonly ledger: Pick<LedgerPort, 'removeEventsBefore'>
    readonly outbox: Pick<OutboxPort, 'removeSettledBefore'>
  }
  readonly clock: Clock
  readonly scheduler: Scheduler
  readonly log: Logger
  /** Time for which event ids and settled deliveries are kept, in ms. */
  readonly keepMs: number
  /** Called after rows were removed. */
  readonly onRemoved?: (what: RemovedRows, rows: number) => void
}

/** Removes expired records in the background, a few at a time. */
export class Retention {
  private cancel: Cancel | null = null
  private underWay: Promise<void> = Promise.resolve()
  private isStopped = false
  private hasComplained = false

  constructor(private readonly options: RetentionOptions) {}

  start(): void {
    this.wait(ROUND_PAUSE_MS)
  }

  /** Resolves when no removal is in progress. */
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
    let removed = 0
    try {
      removed = await this.removePieces()
      this.hasComplained = false
    } catch (error) {
      // The disk or the queue is full. Removing old records can wait.
      if (!this.hasComplained) this.options.log.warn({ err: error }, 'old records cannot be removed')
      this.hasComplained = true
    }
    this.wait(removed > 0 ? PIECE_PAUSE_MS : ROUND_PAUSE_MS)
  }

  /** Removes a few rows of each kind; returns how many. */
  private async removePieces(): Promise<number> {
    const { store, clock, keepMs, onRemoved } = this.options
    const keptFrom = clock.now() - keepMs
    let total = 0
    for (const [what, remove] of [
      ['events', () => store.ledger.removeEventsBefore(keptFrom, PIECE_ROWS)],
      ['deliveries', () => store.outbox.removeSettledBefore(keptFrom, PIECE_ROWS)],
      ['requests', () => store.commands.removeExpiredRequests(PIECE_ROWS)],
    ] as const) {
      const rows = await remove()
      if (rows > 0) onRemoved?.(what, rows)
      total += rows
    }
    return total
  }
}
