import type { Clock } from '../clock.js'
import type { Logger } from '../log.js'
import type { Cancel, Scheduler } from '../scheduler.js'
import type { CommandPort } from '../store/commands.js'
import type { LedgerPort } from '../store/ledger.js'
import type { OutboxPort } from '../store/outbox.js'
import type { RemovedRows } from '../store/store.js'

/** Rows that are removed in one commit: few enough that nobody waits for it. */
const PIECE_ROWS = 200
/** Pause between two pieces, for the commits of others. */
const PIECE_PAUSE_MS = 50
/** Pause when nothing more is to be removed. */
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
  /** How long event ids and settled deliveries are kept. */
  readonly keepMs: number
  /** Hears of rows that are gone. */
  readonly onRemoved?: (what: RemovedRows, rows: number) => void
}

/** Removes in the background what has been kept long enough, a piece at a time. */
export class Retention {
  private cancel: Cancel | null = null
  private underWay: Promise<void> = Promise.resolve()
  private isStopped = false
  private hasComplained = false

  constructor(private readonly options: RetentionOptions) {}

  start(): void {
    this.wait(ROUND_PAUSE_MS)
  }

  /** Resolves when no piece is under way. */
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
      // The disk or the queue is full: what is old can wait.
      if (!this.hasComplained) this.options.log.warn({ err: error }, 'old records cannot be removed')
      this.hasComplained = true
    }
    this.wait(removed > 0 ? PIECE_PAUSE_MS : ROUND_PAUSE_MS)
  }

  /** A piece of each; answers how many rows are gone. */
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
