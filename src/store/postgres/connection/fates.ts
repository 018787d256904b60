import { setTimeout as pause } from 'node:timers/promises'
import type { WriterPool } from './pool.js'
import { type Fragment, sql } from './sql.js'

/** How long the database is asked what became of a write whose answer was lost, before its fate stays unknown. */
export const FATE_LIMITS: FateLimits = { knownWithinMs: 9500, askedMinMs: 2000, pauseMs: 100 }
const UUID_VERSION_AT = 14

export interface FateLimits {
  /** Since the write began. */
  readonly knownWithinMs: number
  /** The least, however late it is. */
  readonly askedMinMs: number
  /** Between two questions. */
  readonly pauseMs: number
}

/** Finds out what became of transactions whose answer was lost. */
export class Fates {
  constructor(
    private readonly writers: WriterPool,
    /** The present time as a piece of SQL, Unix ms. */
    private readonly now: () => Fragment,
    private readonly limits: FateLimits = FATE_LIMITS,
  ) {}

  /** Until when the fate of a write that begins now is to be known. */
  untilOfNow(): number {
    return performance.now() + this.limits.knownWithinMs
  }

  /**
   * Whether a transaction has been committed; null when the database does not tell. The question itself writes the id of the
   * transaction, so that one which is still under way can no longer commit.
   */
  async wasCommitted(id: string, knownUntil: number): Promise<boolean | null> {
    const { askedMinMs, pauseMs } = this.limits
    const until = Math.max(knownUntil, performance.now() + askedMinMs)
    while (performance.now() < until) {
      const answer = await beforeTime(this.ask(id), until).catch(() => null)
      if (answer !== null) return answer
      await pause(pauseMs)
    }
    return null
  }

  /** A question whose own answer is lost leaves a mark, so that the next one does not take its row for the transaction's. */
  private async ask(id: string): Promise<boolean> {
    const session = await this.writers.take(false)
    const mark = markOf(id)
    let isBroken = true
    try {
      const { count } = await session.run(sql`
        WITH asked AS (
          INSERT INTO committed (id, at) VALUES (${id}::uuid, ${this.now()}) ON CONFLICT DO NOTHING RETURNING at)
        INSERT INTO committed (id, at) SELECT ${mark}::uuid, at FROM asked`)
      // Behind the statement that waited for an earlier question, so that it sees what that one has left.
      const marked = count > 0 ? null : await session.run(sql`SELECT 1 FROM committed WHERE id = ${mark}::uuid`)
      isBroken = false
      return marked?.rows.length === 0
    } finally {
      this.writers.give(session, isBroken)
    }
  }
}

/** The id of a transaction is a random UUID. That of its mark has another version, so it is no transaction's. */
function markOf(id: string): string {
  return `${id.slice(0, UUID_VERSION_AT)}0${id.slice(UUID_VERSION_AT + 1)}`
}

/** Null when it has not come in time. What comes later is nobody's. */
function beforeTime<T>(promise: Promise<T>, until: number): Promise<T | null> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => resolve(null), Math.max(0, until - performance.now()))
    promise.then(resolve, reject).finally(() => clearTimeout(timer))
  })
}
