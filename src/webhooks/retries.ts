import { setImmediate as nextTurnOfLoop } from 'node:timers/promises'
import type { Clock } from '../clock.js'
import type { Logger } from '../log.js'
import type { Cancel, Scheduler } from '../scheduler.js'
import type { OutboxPort, OwedDelivery, WaitingDelivery } from '../store/outbox.js'

/** Deliveries queued again in one write. */
const RELEASE_BATCH_MAX = 256
/** Waiting deliveries that are examined in one turn. */
const ADJUSTED_BATCH_MAX = 128

/** A clock that goes back by more than this was set; what waits is then adjusted to it. */
const SET_BACK_MIN_MS = 1000

/** The clock may be set while a timer runs, so due times are checked at least this often. */
const CHECK_PAUSE_MAX_MS = 60_000

/** Pause after a failure of the store. */
const STORE_PAUSE_MS = 5000

export interface RetriesParts {
  readonly outbox: Pick<OutboxPort, 'nextRetryAt' | 'releaseRetries' | 'adjustRetries'>
  readonly clock: Clock
  readonly scheduler: Scheduler
  readonly log: Logger
  readonly attemptsMax: number
  /** Called with the deliveries that were queued again. */
  readonly onDue: (owed: readonly OwedDelivery[]) => void
}

/**
 * Queues deliveries again when their retry is due. The due times are in the store. There is one timer, for the first of
 * them, and none while nothing waits. A clock that is set back makes nothing wait longer: it is noticed at the start, and when due
 * times are checked.
 */
export class Retries {
  private timer: { readonly atMs: number; readonly cancel: Cancel } | null = null
  private releasing: Promise<void> = Promise.resolve()
  private isStopped = false
  /** The latest time that was seen; infinite at the start, when nobody knows how the clock was set before. */
  private seenMs = Number.POSITIVE_INFINITY

  constructor(private readonly parts: RetriesParts) {}

  /** Releases what is due, now and whenever something becomes due. */
  start(): void {
    this.releasing = this.releasing.then(() => this.release())
  }

  /** Makes sure that due times are checked by this time: a retry is due then. */
  expect(atMs: number): void {
    if (this.isStopped || (this.timer !== null && this.timer.atMs <= atMs)) return
    this.disarm()
    const delayMs = Math.min(CHECK_PAUSE_MAX_MS, Math.max(0, atMs - this.parts.clock.now()))
    const cancel = this.parts.scheduler.after(delayMs, () => {
      this.timer = null
      this.start()
    })
    this.timer = { atMs, cancel }
  }

  /** Waits for the write in progress; begins nothing more. */
  async stop(): Promise<void> {
    this.isStopped = true
    this.disarm()
    await this.releasing
  }

  /** Never rejects. */
  private async release(): Promise<void> {
    const { outbox, clock, log, attemptsMax, onDue } = this.parts
    try {
      if (clock.now() < this.seenMs - SET_BACK_MIN_MS) await this.adjust()
      this.seenMs = clock.now()
      let idleAtMs: number | null = null
      while (!this.isStopped) {
        const dueAtMs = await outbox.nextRetryAt()
        if (dueAtMs === null) return
        if (dueAtMs > clock.now()) {
          this.expect(dueAtMs)
          return
        }
        if (dueAtMs === idleAtMs) {
          // A database may have a clock of its own, which is behind ours, or was set back.
          await this.adjust()
          this.expect(clock.now() + STORE_PAUSE_MS)
          return
        }
        const owed = await outbox.releaseRetries(attemptsMax, RELEASE_BATCH_MAX)
        idleAtMs = owed.length === 0 ? dueAtMs : null
        onDue(owed)
      }
    } catch (error) {
      log.error({ err: error }, 'retries of webhooks wait for the store')
      this.expect(clock.now() + STORE_PAUSE_MS)
    }
  }

  /** Lets everything that waits wait no longer than it was to wait. */
  private async adjust(): Promise<void> {
    const { outbox } = this.parts
    let last: WaitingDelivery | null = null
    do {
      if (last !== null) await nextTurnOfLoop()
      last = await outbox.adjustRetries(last, ADJUSTED_BATCH_MAX)
    } while (last !== null && !this.isStopped)
  }

  private disarm(): void {
    this.timer?.cancel()
    this.timer = null
  }
}
