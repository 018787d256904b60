import type { Clock } from '../clock.js'
import type { Logger } from '../log.js'
import type { WatcherRecord } from './watcher-state.js'

/** Pause between two progress lines. */
const CATCH_UP_LOG_MS = 10_000

/** Logs the progress of a watcher that is behind. */
export class CatchUpLog {
  private since: { readonly atMs: number; readonly height: number } | null = null
  private from = 0

  constructor(
    private readonly record: WatcherRecord,
    private readonly clock: Clock,
    private readonly log: Logger,
  ) {}

  /** Call it whenever something was recorded. */
  update(): void {
    const { head, position, isCatchingUp } = this.record
    if (head === null || position === null) return
    const now = this.clock.now()
    const { network } = this.record
    const { height } = position.tip
    if (!isCatchingUp) {
      if (this.since !== null) this.log.info({ network, blocks: height - this.from, block: height }, 'has caught up')
      this.since = null
      return
    }
    if (this.since === null) {
      this.since = { atMs: now, height }
      this.from = height
      return
    }
    const elapsedMs = now - this.since.atMs
    if (elapsedMs >= 0 && elapsedMs < CATCH_UP_LOG_MS) return
    const blocksPerSecond = Math.round(((height - this.since.height) * 1000) / Math.max(1, elapsedMs))
    const about = {
      network,
      block: height,
      confirmed: head.confirmed,
      remaining: head.confirmed - height,
      blocksPerSecond,
    }
    this.log.info(about, 'is catching up')
    this.since = { atMs: now, height }
  }
}
