import type { Clock } from '../clock.js'
import { AUDIT_KEPT_MS } from '../domain/audit.js'
import type { Logger } from '../log.js'
import type { Scheduler } from '../scheduler.js'
import type { AuditPort } from '../store/audit.js'
import type { CommandPort } from '../store/commands.js'
import type { EventPort } from '../store/events.js'
import type { LedgerPort } from '../store/ledger.js'
import type { OutboxPort } from '../store/outbox.js'
import type { RemovedRows } from '../store/retention.js'
import { BackgroundWork } from './background-work.js'

/** Maximum rows removed in one commit, so few that no request notices. */
const PIECE_ROWS = 200
/** Pause between two removals, for other commits. */
const PIECE_PAUSE_MS = 50
/** Pause when nothing is left to remove. */
const ROUND_PAUSE_MS = 60_000

export interface RetentionOptions {
  readonly store: {
    readonly commands: Pick<CommandPort, 'removeExpiredRequests'>
    readonly events: Pick<EventPort, 'removeBefore'>
    readonly ledger: Pick<LedgerPort, 'removeEventsBefore'>
    readonly outbox: Pick<OutboxPort, 'removeSettledBefore'>
    readonly audit: Pick<AuditPort, 'removeBefore'>
  }
  readonly clock: Clock
  readonly scheduler: Scheduler
  readonly log: Logger
  /** Time for which event ids and settled deliveries are kept, in ms. */
  readonly keepMs: number
  /** The same for the events of owners. */
  readonly keepEventsMs: number
  /** Called after rows were removed. */
  readonly onRemoved?: (what: RemovedRows, rows: number) => void
}

/** Removes expired records in the background, a few at a time. */
export class Retention {
  private readonly work: BackgroundWork

  constructor(private readonly options: RetentionOptions) {
    const { scheduler, log } = options
    this.work = new BackgroundWork({
      piece: () => this.removePieces(),
      pauseMs: PIECE_PAUSE_MS,
      roundMs: ROUND_PAUSE_MS,
      scheduler,
      log,
      complaint: 'old records cannot be removed',
    })
  }

  start(): void {
    this.work.start()
  }

  /** Resolves when no removal is in progress. */
  stop(): Promise<void> {
    return this.work.stop()
  }

  /** Removes a few rows of each kind; answers whether it found any. */
  private async removePieces(): Promise<boolean> {
    const { store, clock, keepMs, keepEventsMs, onRemoved } = this.options
    const now = clock.now()
    let total = 0
    for (const [what, remove] of [
      ['events', () => store.ledger.removeEventsBefore(now - keepMs, PIECE_ROWS)],
      ['deliveries', () => store.outbox.removeSettledBefore(now - keepMs, PIECE_ROWS)],
      ['requests', () => store.commands.removeExpiredRequests(PIECE_ROWS)],
      ['owner_events', () => store.events.removeBefore(now - keepEventsMs, PIECE_ROWS)],
      ['audit', () => store.audit.removeBefore(now - AUDIT_KEPT_MS, PIECE_ROWS)],
    ] as const) {
      const rows = await remove()
      if (rows > 0) onRemoved?.(what, rows)
      total += rows
    }
    return total > 0
  }
}
