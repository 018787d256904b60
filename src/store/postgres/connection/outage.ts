import { pause, type Scheduler, systemScheduler } from '../../../scheduler.js'
import type { StorageUnavailable } from '../../refusals.js'

/** Pause between two probes of a database that hangs. */
export const PROBE_PAUSE_MS = 250
/** How long a probe may take until a suspicion is believed. */
export const SUSPECTED_MS = 250

/**
 * While the database hangs, what asks for it is refused at once. Only the first ones wait until the hanging is noticed; those behind
 * them would wait as long again.
 */
export class Outage {
  private reads: StorageUnavailable | null = null
  private writes: StorageUnavailable | null = null
  private isProbing = false
  private readonly closing = new AbortController()

  constructor(
    /** Calls back when reads are answered, and resolves when writes are. It rejects in bounded time when they are not. */
    private readonly probe: (onReadable: () => void) => Promise<void>,
    private readonly scheduler: Scheduler = systemScheduler,
  ) {}

  /** Nothing is answered. */
  begin(reason: StorageUnavailable): void {
    if (this.closing.signal.aborted) return
    this.reads ??= reason
    this.writes ??= reason
    void this.probeUntilAnswered()
  }

  /** One write was not answered. Others go on, unless a probe is not answered either: then nobody can write. */
  suspectWrites(reason: StorageUnavailable): void {
    if (this.closing.signal.aborted || this.isProbing) return
    const cancel = this.scheduler.after(SUSPECTED_MS, () => {
      this.writes ??= reason
    })
    void this.probeUntilAnswered().then(cancel)
  }

  /** Throws why the database cannot be read. */
  assertReadable(): void {
    if (this.reads !== null) throw this.reads
  }

  /** Throws why the database cannot be written to. */
  assertWritable(): void {
    if (this.writes !== null) throw this.writes
  }

  /** Nothing is probed from now on. A probe that is under way ends by itself: waiting for it would hold up the end of a service. */
  close(): void {
    this.closing.abort()
  }

  /** Never rejects. */
  private async probeUntilAnswered(): Promise<void> {
    if (this.isProbing) return
    this.isProbing = true
    while (!this.closing.signal.aborted) {
      try {
        await this.probe(() => {
          this.reads = null
        })
        this.reads = null
        this.writes = null
        break
      } catch {
        // A probe that is refused, as where the server has no room for another connection, confirms no suspicion.
        if (this.writes === null) break
        await pause(this.scheduler, PROBE_PAUSE_MS, this.closing.signal)
      }
    }
    this.isProbing = false
  }
}
