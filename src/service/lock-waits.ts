import { type Clock, elapsedOf } from '../clock.js'
import type { Degradation } from '../domain/degradation.js'
import type { Logger } from '../log.js'
import type { StorageUnavailable } from '../store/refusals.js'

/** How long the service says that it waited for a lock in vain: as long as a collector of metrics may take to come by. */
const TOLD_FOR_MS = 60_000

/**
 * Tells that somebody keeps a lock in the database that requests wait for. It may be about one wallet, so the service goes on for
 * others.
 */
export class LockWaits {
  private missedAtMs = Number.NEGATIVE_INFINITY

  constructor(
    private readonly log: Pick<Logger, 'error'>,
    private readonly clock: Clock,
  ) {}

  /** A lock did not come. */
  missed(err: StorageUnavailable): void {
    if (!this.isTold()) this.log.error({ err }, 'a lock in the database did not come: what waited for it is refused')
    this.missedAtMs = elapsedOf(this.clock)
  }

  complaints(): readonly Degradation[] {
    if (!this.isTold()) return []
    const text = 'Somebody keeps a lock in the database that requests waited for in vain; see the log.'
    return [{ reason: 'database_lock', text }]
  }

  private isTold(): boolean {
    return elapsedOf(this.clock) - this.missedAtMs < TOLD_FOR_MS
  }
}
