import { Replaced } from '../refusals.js'
import { sql } from './connection/sql.js'
import type { Work } from './connection/work.js'

/** Keeps out what a process that led began before another one took over. */
export class Fence {
  private term: number | null = null
  private isOver = false

  /** This process leads in a term. */
  begin(term: number): void {
    this.term = term
    this.isOver = false
  }

  /** Another process may lead. */
  end(): void {
    this.isOver = true
  }

  /**
   * Makes sure that this process leads until the unit has committed: a takeover waits for that. Rejects with `Replaced`. A
   * process that has never led may pass: it is a command, or uses the store alone.
   */
  async hold(work: Work): Promise<void> {
    if (this.term === null) return
    if (this.isOver) throw new Replaced()
    // The holder renews its lease beside this lock; only a takeover asks for one that waits for it.
    const row = await work.row(
      sql`SELECT 1 FROM leases WHERE name = 'service' AND term = ${this.term}::bigint FOR KEY SHARE`,
    )
    if (row === undefined) throw new Replaced()
  }
}
