import { randomUUID } from 'node:crypto'
import type { Cancel, Scheduler } from '../../scheduler.js'
import type { Database } from './connection/database.js'
import { sql } from './connection/sql.js'

/** How long a lease lasts that nobody renews: the time until another process takes over from one that died. */
const LEASE_MS = 5000
const RENEWED_EVERY_MS = 1000
const ASKED_EVERY_MS = 250

/** What the holder of a lease is asked and told. */
export interface LeaseEvents {
  /** Another process has it, and this one waits. Called once. */
  waiting(): void
  /** Another process has taken it over: this one was not heard of for so long. */
  lost(): void
}

/**
 * The right to serve, which one process of a database has at a time. It does not keep the data whole, which the transactions do by
 * themselves: a holder that was suspended may go on for as long as a renewal takes to find out that another has taken over.
 */
export class Lease {
  private readonly holder = randomUUID()
  private cancel: Cancel = () => {}
  private renewing: Promise<void> = Promise.resolve()
  private isReleased = false

  constructor(
    private readonly database: Database,
    private readonly scheduler: Scheduler,
    private readonly events: LeaseEvents,
  ) {}

  /** Resolves when this process has the lease; false when `stop` ended the wait. */
  async take(stop: AbortSignal): Promise<boolean> {
    let isWaiting = false
    while (!stop.aborted) {
      if (await this.tryToTake()) {
        this.renewLater()
        return true
      }
      if (!isWaiting) this.events.waiting()
      isWaiting = true
      await new Promise<void>((resolve) => this.scheduler.after(ASKED_EVERY_MS, resolve))
    }
    return false
  }

  /** Lets another process have it at once. */
  async release(): Promise<void> {
    this.isReleased = true
    this.cancel()
    await this.renewing
    await this.database
      .write(async (work) => work.write(sql`UPDATE leases SET expires_at = 0 WHERE holder = ${this.holder}::uuid`))
      // It ends by itself.
      .catch(() => {})
  }

  private async tryToTake(): Promise<boolean> {
    return this.database.write(async (work) => {
      const nowMs = await work.readClock()
      const taken = await work.wrote(sql`
        INSERT INTO leases AS known (name, holder, expires_at) VALUES ('service', ${this.holder}::uuid, ${nowMs + LEASE_MS}::bigint)
        ON CONFLICT (name) DO UPDATE SET holder = excluded.holder, expires_at = excluded.expires_at
          WHERE known.expires_at <= ${nowMs}::bigint`)
      return taken > 0
    })
  }

  private renewLater(): void {
    if (this.isReleased) return
    this.cancel = this.scheduler.after(RENEWED_EVERY_MS, () => {
      this.renewing = this.renew()
    })
  }

  private async renew(): Promise<void> {
    let isHeld = true
    try {
      isHeld = await this.database.write(async (work) => {
        const until = (await work.readClock()) + LEASE_MS
        const renewed = await work.wrote(
          sql`UPDATE leases SET expires_at = ${until}::bigint WHERE holder = ${this.holder}::uuid`,
        )
        return renewed > 0
      })
    } catch {
      // While the database cannot be written to, nobody else can take it.
    }
    if (isHeld) this.renewLater()
    else this.events.lost()
  }
}
