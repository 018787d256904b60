import type { Logger } from '../log.js'
import type { Cancel, Scheduler } from '../scheduler.js'
import { StorageUnavailable } from '../store/refusals.js'
import type { Store } from '../store/store.js'

/** Pause between two probes of a store that refuses writes. */
const PROBE_PAUSE_MS = 1000
/**
 * Pause between two probes of a database that takes writes, as far as is known. A database that hangs answers no probe for as long
 * as a session waits, and is to be noticed in ten seconds.
 */
export const BEAT_MS = 1000

/**
 * Whether the store takes writes. A failed commit makes it unhealthy, and only a successful probe makes it healthy
 * again: small commits may still find free pages in a full file, and without traffic there are none.
 */
export class WriteHealth {
  private failing: StorageUnavailable | null = null
  private isBeating = false
  private isProbing = false
  private cancel: Cancel = () => {}

  constructor(
    private readonly log: Pick<Logger, 'error' | 'info'>,
    private readonly scheduler: Scheduler,
    private readonly store: () => Pick<Store, 'probeWrite' | 'isOpen'> | null,
  ) {}

  get takesWrites(): boolean {
    return this.failing === null
  }

  /** Why the store refuses writes, for the operator; null while it takes them. */
  get refusal(): string | null {
    if (this.failing === null) return null
    const { cause } = this.failing
    return cause instanceof Error ? cause.message || cause.name : String(cause)
  }

  /** From now on the store is probed though nothing was refused: a service that nobody asks to write notices, too. */
  beat(): void {
    this.isBeating = true
    this.probeLater()
  }

  /** A commit was refused, or the store cannot be read. */
  commitFailed(err: StorageUnavailable): void {
    if (this.failing !== null) return
    this.failing = err
    this.log.error(
      { err },
      'the store refuses writes: requests that write are answered with 503 until it takes them again',
    )
    this.probeLater()
  }

  /** A probe that is under way has the next one follow. */
  private probeLater(): void {
    this.cancel()
    if (this.isProbing) return
    this.cancel = this.scheduler.after(this.takesWrites ? BEAT_MS : PROBE_PAUSE_MS, () => void this.probe())
  }

  private async probe(): Promise<void> {
    const store = this.store()
    if (store === null || !store.isOpen()) return
    this.isProbing = true
    try {
      await store.probeWrite()
      if (this.failing !== null) this.log.info('the store takes writes again')
      this.failing = null
    } catch (error) {
      this.commitFailed(error instanceof StorageUnavailable ? error : new StorageUnavailable(error))
    }
    this.isProbing = false
    if (this.failing !== null || this.isBeating) this.probeLater()
  }
}
