import type { Degradation } from '../domain/degradation.js'
import type { Logger } from '../log.js'

const TEXT =
  'Stored data could not be read, or are not what was written: what needs them fails; see the log, and run billhook check.'

/**
 * Tells that the store came across damage. It may be one page that few requests need, so the service goes on for the others. That those
 * succeed proves nothing: only a start forgets it, which for a data directory reads every page first.
 */
export class StoreDamage {
  private isFound = false

  constructor(private readonly log: Pick<Logger, 'error'>) {}

  /** What is stored could not be read, or is not what was written. */
  found(err: unknown): void {
    if (this.isFound) return
    this.isFound = true
    this.log.error({ err }, 'stored data are DAMAGED: run billhook check, and see docs/operating/backup.md')
  }

  complaints(): readonly Degradation[] {
    return this.isFound ? [{ reason: 'store_damaged', text: TEXT }] : []
  }
}
