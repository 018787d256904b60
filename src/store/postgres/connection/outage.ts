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
  private probing: Promise<void> | null = null
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
    this.probing ??= this.probeUntilAnswered()
  }

  /** One write was not answered. Others go on, unless a probe is not answered either: then nobody can write. */
  suspectWrites(reason: StorageUnavailable): void {
    if (this.closing.signal.aborted || this.probing !== null) return
    const cancel = this.scheduler.after(SUSPECTED_MS, () => {
      this.writes ??= reason
    })
    this.probing = this.probeUntilAnswered().finally(cancel)
  }

  /** Throws why the database cannot be read. */
  assertReadable(): void {
    if (this.reads !== null) throw this.reads
  }

  /** Throws why the database cannot be written to. */
  assertWritable(): void {
    if (this.writes !== null) throw this.writes
  }

  /** Resolves when no probe is under way. */
  async close(): Promise<void> {
    this.closing.abort()
    await this.probing
  }

  /** Never rejects. */
  private async probeUntilAnswered(): Promise<void> {
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
    this.probing = null
  }
}
