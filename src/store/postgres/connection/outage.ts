import type { StorageUnavailable } from '../../refusals.js'

/** Pause between two probes of a database that hangs. */
const PROBE_PAUSE_MS = 250
/** How long a probe may take until a suspicion is believed. */
const SUSPECTED_MS = 250

/**
 * While the database hangs, what asks for it is refused at once. Only the first ones wait until the hanging is noticed; those behind
 * them would wait as long again.
 */
export class Outage {
  private reads: StorageUnavailable | null = null
  private writes: StorageUnavailable | null = null
  private probing: Promise<void> | null = null
  private pausing: NodeJS.Timeout | undefined
  private suspecting: NodeJS.Timeout | undefined
  private endPause: () => void = () => {}
  private isClosed = false

  /** `probe` calls back when reads are answered, and resolves when writes are. It rejects in bounded time when they are not. */
  constructor(private readonly probe: (onReadable: () => void) => Promise<void>) {}

  /** Nothing is answered. */
  begin(reason: StorageUnavailable): void {
    if (this.isClosed) return
    this.reads ??= reason
    this.writes ??= reason
    this.probing ??= this.probeUntilAnswered()
  }

  /** One write was not answered. Others go on, unless a probe is not answered either: then nobody can write. */
  suspectWrites(reason: StorageUnavailable): void {
    if (this.isClosed || this.probing !== null) return
    const probing = this.probeUntilAnswered()
    this.probing = probing
    this.suspecting = setTimeout(() => {
      if (this.probing === probing) this.writes ??= reason
    }, SUSPECTED_MS).unref()
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
    this.isClosed = true
    clearTimeout(this.pausing)
    clearTimeout(this.suspecting)
    this.endPause()
    await this.probing
  }

  /** Never rejects. */
  private async probeUntilAnswered(): Promise<void> {
    while (!this.isClosed) {
      try {
        await this.probe(() => {
          this.reads = null
        })
        this.reads = null
        this.writes = null
        clearTimeout(this.suspecting)
        break
      } catch {
        await this.pause()
      }
    }
    this.probing = null
  }

  private pause(): Promise<void> {
    return new Promise((resolve) => {
      if (this.isClosed) return resolve()
      this.endPause = resolve
      this.pausing = setTimeout(resolve, PROBE_PAUSE_MS).unref()
    })
  }
}
