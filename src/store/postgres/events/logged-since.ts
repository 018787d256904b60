import { sql } from '../connection/sql.js'
import type { Work } from '../connection/work.js'

/**
 * What happened up to now, or to a time that an imported record names, may be no event. Call it last: every import locks the same
 * row.
 */
export async function skipLogging(work: Work, ...timesMs: readonly number[]): Promise<void> {
  const since = Math.max(await work.readClock(), ...timesMs) + 1
  work.write(sql`UPDATE logged SET since = ${since}::bigint WHERE since < ${since}::bigint`)
}
