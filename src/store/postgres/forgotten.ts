import { sql } from './connection/sql.js'
import type { Work } from './connection/work.js'

/**
 * How long transactions are known, so that one whose answer was lost can be looked up: within ten seconds (`FATE_LIMITS`), in which the
 * clock of the database must not jump ahead by an hour.
 */
const COMMITS_KEPT_MS = 60 * 60 * 1000
/** How long changes are told to processes that could not ask. */
const CHANGES_KEPT_MS = 10 * 60 * 1000
/** Rows of each table that are removed at once: more than a second can bring. */
const REMOVED_MAX = 10_000

/** Longer than any debt of a client lasts. */
const DEBTS_KEPT_MS = 10 * 60 * 1000

/**
 * Removes what nobody asks for any more. The leader does it each second. It keeps the changes behind `heardUpTo`, which it has not
 * heard of itself, however old they seem: the clock of the database may have jumped, or its machine may have slept.
 */
export async function removeForgotten(work: Work, heardUpTo: number): Promise<void> {
  const nowMs = await work.readClock()
  // Arrays, because a plan that does not know the limit would read the whole table for `IN`.
  work.write(sql`
    DELETE FROM committed WHERE id = ANY(ARRAY(
      SELECT id FROM committed WHERE at < ${nowMs - COMMITS_KEPT_MS}::bigint ORDER BY at LIMIT ${REMOVED_MAX}::bigint))`)
  work.write(sql`
    DELETE FROM change_log WHERE no <= ${heardUpTo}::bigint AND no = ANY(ARRAY(
      SELECT no FROM change_log WHERE at < ${nowMs - CHANGES_KEPT_MS}::bigint ORDER BY at LIMIT ${REMOVED_MAX}::bigint))`)
  work.write(sql`
    DELETE FROM allowances WHERE (name, client) IN (
      SELECT name, client FROM allowances WHERE grown_at < ${nowMs - DEBTS_KEPT_MS}::bigint ORDER BY grown_at LIMIT ${REMOVED_MAX}::bigint)`)
}
