import { randomUUID } from 'node:crypto'
import type { Cancel, Scheduler } from '../../scheduler.js'
import type { Leader, LeadershipPort } from '../leadership.js'
import type { Database } from './connection/database.js'
import { sql } from './connection/sql.js'
import type { Fence } from './fence.js'
import { removeForgotten } from './forgotten.js'

/** How long a lease lasts that nobody renews: the time until another process takes over from one that died. */
const LEASE_MS = 5000
const RENEWED_EVERY_MS = 1000
const ASKED_EVERY_MS = 250
/** After the work of the leader could not begin. */
const BEGUN_AGAIN_AFTER_MS = 5000

/**
 * A lease in the database, for which the processes of it stand. A holder that was suspended may believe for as long as a renewal
 * takes that it still leads. The fence keeps out what it does meanwhile.
 */
export class PostgresLeadership implements LeadershipPort {
  private readonly holder = randomUUID()
  private leader: Leader | null = null
  private isHolding = false
  private hasResigned = false
  private cancel: Cancel = () => {}
  private asking: Promise<void> = Promise.resolve()
  private renewing: Promise<void> = Promise.resolve()
  private beginning: Promise<void> = Promise.resolve()

  constructor(
    private readonly database: Database,
    private readonly fence: Fence,
    private readonly scheduler: Scheduler,
  ) {}

  async stand(leader: Leader): Promise<void> {
    this.leader = leader
    if (!(await this.take())) this.askLater(ASKED_EVERY_MS)
    else await this.begin(leader)
  }

  async resign(): Promise<void> {
    this.hasResigned = true
    this.cancel()
    await Promise.all([this.asking, this.renewing])
    this.cancel()
    if (!this.isHolding) return
    await this.end()
    this.isHolding = false
    await this.release()
  }

  private askLater(delayMs: number): void {
    this.cancel()
    if (this.hasResigned) return
    this.cancel = this.scheduler.after(delayMs, () => {
      this.asking = this.ask()
    })
  }

  private async ask(): Promise<void> {
    const { leader } = this
    if (leader === null || !(await this.take())) {
      this.askLater(ASKED_EVERY_MS)
      return
    }
    // The leader has said why, and another process may have more luck.
    await this.begin(leader).catch(() => this.askLater(BEGUN_AGAIN_AFTER_MS))
  }

  /** False while another process has the lease, or the database cannot be asked. */
  private async take(): Promise<boolean> {
    try {
      const term = (await this.isHeld()) ? null : await this.takeTerm()
      if (term === null) return false
      this.fence.begin(term)
      this.isHolding = true
      this.renewLater()
      return true
    } catch {
      return false
    }
  }

  /** Asked without a lock, so that those who wait are in nobody's way. */
  private async isHeld(): Promise<boolean> {
    const held = await this.database.read(
      sql`SELECT 1 FROM leases WHERE name = 'service' AND expires_at > ${this.database.now}`,
    )
    return held.length > 0
  }

  private async takeTerm(): Promise<number | null> {
    return this.database.write(async (work) => {
      work.write(
        sql`INSERT INTO leases (name, holder, expires_at) VALUES ('service', ${this.holder}::uuid, 0) ON CONFLICT DO NOTHING`,
      )
      // Waits for what the one before has under way behind its fence.
      const lease = await work.row<{ expires_at: number; term: number }>(
        sql`SELECT expires_at, term FROM leases WHERE name = 'service' FOR UPDATE`,
      )
      const nowMs = await work.readClock()
      if (lease === undefined || lease.expires_at > nowMs) return null
      const term = lease.term + 1
      work.write(sql`
        UPDATE leases SET holder = ${this.holder}::uuid, term = ${term}::bigint, expires_at = ${nowMs + LEASE_MS}::bigint
        WHERE name = 'service'`)
      return term
    })
  }

  private renewLater(): void {
    this.cancel()
    if (this.hasResigned) return
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
          sql`UPDATE leases SET expires_at = ${until}::bigint WHERE name = 'service' AND holder = ${this.holder}::uuid`,
        )
        return renewed > 0
      })
      if (isHeld) {
        const { heardUpTo } = this.database.changes
        await this.database.write((work) => removeForgotten(work, heardUpTo))
      }
    } catch {
      // While the database cannot be written to, nobody else can take it.
    }
    if (isHeld) {
      this.renewLater()
      return
    }
    this.isHolding = false
    await this.end()
    this.askLater(ASKED_EVERY_MS)
  }

  /** Rejects with why the work could not begin, and lets another process lead then. */
  private async begin(leader: Leader): Promise<void> {
    const begun = leader.begin()
    this.beginning = begun.catch(() => {})
    try {
      await begun
    } catch (error) {
      this.cancel()
      await this.renewing
      this.cancel()
      this.fence.end()
      if (this.isHolding) await this.release()
      this.isHolding = false
      throw error
    }
  }

  private async end(): Promise<void> {
    this.fence.end()
    await this.beginning
    await this.leader?.end()
  }

  private async release(): Promise<void> {
    await this.database
      .write(async (work) => work.write(sql`UPDATE leases SET expires_at = 0 WHERE holder = ${this.holder}::uuid`))
      // It ends by itself.
      .catch(() => {})
  }
}
