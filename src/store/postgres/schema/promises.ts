import { randomUUID } from 'node:crypto'
import { OperatorError } from '../../../operator-error.js'
import type { Database } from '../connection/database.js'
import { SESSION_SETTINGS } from '../connection/session.js'
import { sql } from '../connection/sql.js'

/*
 * What the database must promise, so that Billhook can. It is asked at each start, because nothing would fail without it, until
 * something is lost.
 */

/** `concurrency`: a test does without durability. */
export type Promises = 'all' | 'concurrency'

/** Settings that must not be off: what was answered would not survive a loss of power. */
export const DURABLE: readonly string[] = ['fsync', 'synchronous_commit', 'full_page_writes']
/** A statement that is not prepared is planned for its values. */
const PREPARED_ONLY = 'plan_cache_mode'

interface Setting {
  readonly name: string
  readonly setting: string
  /** What the session began with. One that a pooler lends may have been changed by the client that had it before. */
  readonly role: string
}

/** Throws `OperatorError` with the name of a setting that would break a promise. */
export async function assertKeepsPromises(database: Database, promises: Promises): Promise<void> {
  const { isPooled } = database.options.address
  const wanted = Object.entries(isPooled ? SESSION_SETTINGS : {}).filter(([name]) => name !== PREPARED_ONLY)
  const names = [...(promises === 'all' ? DURABLE : []), ...wanted.map(([name]) => name)]
  if (names.length === 0) return
  const rows = await database.read<Setting>(
    sql`SELECT name, setting, reset_val AS role FROM pg_settings WHERE name = ANY(${names}::text[])`,
  )
  const known = new Map(rows.map((row) => [row.name, row]))
  for (const name of DURABLE) {
    if (known.get(name)?.setting === 'off')
      throw new OperatorError(`the database has ${name} = off, so it could lose what was answered`)
  }
  for (const [name, value] of wanted) {
    const role = known.get(name)?.role
    if (role === undefined || role === value) continue
    throw new OperatorError(
      `behind a pooler the settings are the role's, and ${name} is ${role}: ALTER ROLE … SET ${name} = '${value}', ` +
        'and then RECONNECT the pooler, whose sessions keep what they began with',
    )
  }
}

/**
 * Throws `OperatorError` where a transaction at READ COMMITTED does not see what others commit while it runs. Decisions behind a lock
 * would be made of what was there before the lock.
 */
export async function assertSeesCommits(database: Database): Promise<void> {
  const [before, after] = await database.write(async (work) => {
    const id = randomUUID()
    const look = async () => (await work.rows(sql`SELECT 1 FROM committed WHERE id = ${id}::uuid`)).length
    const first = await look()
    // Kept for an hour, as every transaction is.
    await database.write(async (other) => {
      const nowMs = await other.readClock()
      other.write(sql`INSERT INTO committed (id, at) VALUES (${id}::uuid, ${nowMs}::bigint) ON CONFLICT DO NOTHING`)
    })
    return [first, await look()]
  })
  if (before === 0 && after === 1) return
  throw new OperatorError(
    'the database does not let a transaction at READ COMMITTED see what others have committed: set ' +
      'yb_enable_read_committed_isolation on YugabyteDB, sql.txn.read_committed_isolation.enabled on CockroachDB',
  )
}
