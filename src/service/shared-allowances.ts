import type { Limiters } from '../http/guards/rate-limiter.js'
import type { Logger } from '../log.js'
import type { Cancel, Scheduler } from '../scheduler.js'
import type { AllowancePort, Debt } from '../store/allowances.js'

const EXCHANGED_EVERY_MS = 1000
/** Clients of a limit that are told of at once. */
const CLIENTS_MAX = 1000

export interface SharedAllowancesParts {
  readonly limiters: Limiters
  readonly allowances: AllowancePort
  readonly scheduler: Scheduler
  readonly log: Pick<Logger, 'warn'>
}

/**
 * Makes limits of a client hold for all processes of a store together: each second they tell each other what busy clients have
 * taken. Until then a client may take from each of them, and waits the longer afterwards.
 */
export class SharedAllowances {
  private cancel: Cancel = () => {}
  private exchanging: Promise<void> = Promise.resolve()
  private isStopped = false
  private hasComplained = false
  /** What could not be told yet. */
  private added: Debt[] = []

  constructor(private readonly parts: SharedAllowancesParts) {}

  start(): void {
    if (!this.parts.allowances.isShared) return
    this.parts.limiters.share()
    this.exchanging = this.exchange()
  }

  async stop(): Promise<void> {
    this.isStopped = true
    this.cancel()
    await this.exchanging
  }

  private async exchange(): Promise<void> {
    const { limiters, allowances, scheduler, log } = this.parts
    // What waits for the database is as much as one exchange may have.
    if (this.added.length === 0) this.added = this.spent()
    try {
      const debts = await allowances.exchange(this.added)
      this.added = []
      for (const { limit, client, micros } of debts) limiters.all.get(limit)?.owes(client, micros)
      this.hasComplained = false
    } catch (err) {
      if (!this.hasComplained)
        log.warn({ err }, 'limits of clients hold for each process by itself until the database answers')
      this.hasComplained = true
    }
    if (this.isStopped) return
    this.cancel = scheduler.after(EXCHANGED_EVERY_MS, () => {
      this.exchanging = this.exchange()
    })
  }

  private spent(): Debt[] {
    const added: Debt[] = []
    for (const [limit, limiter] of this.parts.limiters.all) {
      for (const one of limiter.takeSpent(CLIENTS_MAX)) added.push({ limit, ...one })
    }
    return added
  }
}
