import type { DatabaseAddress } from '../../../base/database-address.js'
import { OperatorError } from '../../../operator-error.js'
import { Session } from '../connection/session.js'
import { Fragment, sql } from '../connection/sql.js'

/** Rows that the database sends at a time. */
const ROWS_AT_ONCE = 1000

/** A statement reads a whole table. */
const ANSWER_TIMEOUT_MS = 60 * 60 * 1000

/** What a session that serves sets: a reading of everything lasts long, and is planned otherwise than a look-up. */
const SETTINGS = [
  'idle_in_transaction_session_timeout = 0',
  'lock_timeout = 0',
  'enable_seqscan = on',
  'enable_hashjoin = on',
  'enable_mergejoin = on',
  'plan_cache_mode = force_custom_plan',
]

/** What a database held at one moment, whatever others write meanwhile. */
export class Snapshot {
  private cursors = 0

  private constructor(private readonly session: Session) {}

  /** Throws `OperatorError` when the database cannot be reached. */
  static async open(address: DatabaseAddress): Promise<Snapshot> {
    const session = await Session.open({ ...address, answerTimeoutMs: ANSWER_TIMEOUT_MS }).catch((error: Error) => {
      throw new OperatorError(`the database ${address.shown} cannot be used: ${error.message || error.name}`)
    })
    return Snapshot.begin(session)
  }

  /** Begins on a session, which ends with it. */
  static async begin(session: Session): Promise<Snapshot> {
    try {
      const texts = ['BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY', ...SETTINGS.map((one) => `SET LOCAL ${one}`)]
      await Promise.all(texts.map((text) => session.run(new Fragment([text], []))))
      return new Snapshot(session)
    } catch (error) {
      await session.close()
      throw error
    }
  }

  /** The rows of a statement, batch by batch. */
  async *batches<T>(select: Fragment): AsyncGenerator<readonly T[]> {
    this.cursors += 1
    // Each has a name of its own: what a prepared FETCH answers depends on the cursor.
    const cursor = new Fragment([`reading_${this.cursors}`], [])
    await this.session.run(sql`DECLARE ${cursor} NO SCROLL CURSOR FOR ${select}`)
    try {
      for (;;) {
        const { rows } = await this.session.run<T>(
          sql`FETCH FORWARD ${new Fragment([String(ROWS_AT_ONCE)], [])} FROM ${cursor}`,
        )
        if (rows.length > 0) yield rows
        if (rows.length < ROWS_AT_ONCE) return
      }
    } finally {
      if (!this.session.isLost) await this.session.run(sql`CLOSE ${cursor}`)
    }
  }

  /** How many rows each of some statements has. They are sent at once, so that they wait for the server once. */
  async counts(selects: readonly Fragment[]): Promise<readonly number[]> {
    const answers = await Promise.all(
      selects.map((select) =>
        this.session.run<{ rows: number }>(sql`SELECT count(*) AS rows FROM (${select}) AS counted`),
      ),
    )
    return answers.map(({ rows: [row] }) => row?.rows ?? 0)
  }

  async all<T>(select: Fragment): Promise<readonly T[]> {
    return (await this.session.run<T>(select)).rows
  }

  async one<T>(select: Fragment): Promise<T | undefined> {
    return (await this.session.run<T>(select)).rows[0]
  }

  close(): Promise<void> {
    return this.session.close()
  }
}
