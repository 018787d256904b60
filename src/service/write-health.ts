import type { Logger } from '../log.js'
import type { Scheduler } from '../scheduler.js'
import type { StorageUnavailable } from '../store/refusals.js'
import type { Store } from '../store/store.js'

/** Pause between two probes of the disk. */
const PROBE_PAUSE_MS = 1000

/**
 * Whether the disk takes writes. A failed commit makes it unhealthy, and only a successful probe makes it healthy
 * again: small commits may still find free pages in a full file, and without traffic there are none.
 */
export class WriteHealth {
  private isFailing = false

  constructor(
    private readonly log: Pick<Logger, 'error' | 'info'>,
    private readonly scheduler: Scheduler,
    private readonly store: () => Pick<Store, 'probeWrite' | 'isOpen'> | null,
  ) {}

  get takesWrites(): boolean {
    return !this.isFailing
  }

  /** A commit was refused. */
  commitFailed(err: StorageUnavailable): void {
    if (this.isFailing) return
    this.isFailing = true
    this.log.error(
      { err },
      'the store refuses writes: requests that write are answered with 503 until it takes them again',
    )
    this.probeLater()
  }

  private probeLater(): void {
    this.scheduler.after(PROBE_PAUSE_MS, () => void this.probe())
  }

  private async probe(): Promise<void> {
    const store = this.store()
    if (store === null || !store.isOpen()) return
    try {
      await store.probeWrite()
      this.isFailing = false
      this.log.info('the store takes writes again')
    } catch {
      this.probeLater()
    }
  }
}
