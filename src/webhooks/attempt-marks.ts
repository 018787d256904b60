import type { OutboxPort } from '../store/outbox.js'

/** Deliveries marked in one write. */
const MARK_BATCH_MAX = 256

interface Waiting {
  readonly id: string
  readonly resolve: (maySend: boolean) => void
  readonly reject: (reason: unknown) => void
}

/**
 * Marks deliveries as attempted. Marks that arrive during a write go into the next one together, so that a thousand
 * deliveries cost a few flushes of the disk, and a single one does not wait.
 */
export class AttemptMarks {
  private waiting: Waiting[] = []
  private isWriting = false
  private isStopped = false

  constructor(private readonly outbox: Pick<OutboxPort, 'markAttempted'>) {}

  /** Whether the delivery may be sent: it is marked now, and was not marked before. Rejects when the store does. */
  mark(id: string): Promise<boolean> {
    if (this.isStopped) return Promise.resolve(false)
    return new Promise((resolve, reject) => {
      this.waiting.push({ id, resolve, reject })
      if (!this.isWriting) void this.write()
    })
  }

  /** Deliveries whose mark was not handed to the store stay queued there, for the next start. */
  stop(): void {
    this.isStopped = true
    for (const { resolve } of this.waiting.splice(0)) resolve(false)
  }

  /** Never rejects: failures go to the callers of `mark`. */
  private async write(): Promise<void> {
    this.isWriting = true
    while (this.waiting.length > 0) {
      const batch = this.waiting.splice(0, MARK_BATCH_MAX)
      try {
        const fates = await this.outbox.markAttempted(batch.map(({ id }) => id))
        if (fates.length !== batch.length) throw new Error('the store answered fewer marks than it was given')
        for (const [i, { resolve }] of batch.entries()) resolve(fates[i] === true)
      } catch (reason) {
        for (const { reject } of batch) reject(reason)
      }
    }
    this.isWriting = false
  }
}
