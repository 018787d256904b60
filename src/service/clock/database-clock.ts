import { type Clock, elapsedOf } from '../../clock.js'
import { differenceText, OFFSET_MAX_MS } from '../../domain/clock-offset.js'
import type { Degradation } from '../../domain/degradation.js'
import type { Logger } from '../../log.js'
import type { Cancel, Scheduler } from '../../scheduler.js'
import type { Store } from '../../store/store.js'

const LOOK_EVERY_MS = 10_000
/** Looks in a row that must agree: one of the two clocks may be set between two readings. */
const LOOKS = 2

export interface DatabaseClockParts {
  readonly store: Pick<Store, 'readClock'>
  readonly clock: Clock
  readonly scheduler: Scheduler
  readonly log: Pick<Logger, 'warn' | 'info'>
}

/**
 * Compares the clock of the database, which dates the records, with that of this machine. When they differ, one of them is wrong;
 * `ClockWatch` judges that of this machine.
 */
export class DatabaseClock {
  private aheadMs: number | null = null
  private otherwise = 0
  private cancel: Cancel = () => {}
  private looking: Promise<void> = Promise.resolve()
  private isStopped = false

  constructor(private readonly parts: DatabaseClockParts) {}

  start(): void {
    this.cancel = this.parts.scheduler.after(LOOK_EVERY_MS, () => {
      this.looking = this.look().then(() => {
        if (!this.isStopped) this.start()
      })
    })
  }

  async stop(): Promise<void> {
    this.isStopped = true
    this.cancel()
    await this.looking
  }

  complaints(): readonly Degradation[] {
    if (this.aheadMs === null) return []
    const text = `The clock of the database is ${differenceText(this.aheadMs)} that of this machine.`
    return [{ reason: 'clock', text }]
  }

  /** Never rejects: a database that is away tells no time. */
  private async look(): Promise<void> {
    const { store, clock, log } = this.parts
    const askedAtMs = elapsedOf(clock)
    let databaseMs: number
    try {
      databaseMs = await store.readClock()
    } catch {
      return
    }
    const aheadMs = databaseMs - clock.now()
    // The answer may be as old as it took.
    const tookMs = elapsedOf(clock) - askedAtMs
    const isOff = aheadMs > OFFSET_MAX_MS || aheadMs + tookMs < -OFFSET_MAX_MS
    this.otherwise = isOff === (this.aheadMs !== null) ? 0 : this.otherwise + 1
    if (this.aheadMs !== null && isOff) this.aheadMs = aheadMs
    if (this.otherwise < LOOKS) return
    this.otherwise = 0
    this.aheadMs = isOff ? aheadMs : null
    if (isOff)
      log.warn(
        `the clock of the database is ${differenceText(aheadMs)} that of this machine: see docs/operating/clock.md`,
      )
    else log.info('the clocks of the database and of this machine agree again')
  }
}
