import { sql } from '../connection/sql.js'
import type { Work } from '../connection/work.js'

/** Notes from when on every change is an event, unless a later time is noted. Call it last: every import locks the same row. */
export function logFrom(work: Work, timeMs: number): void {
  work.write(sql`UPDATE logged SET since = ${timeMs}::bigint WHERE since < ${timeMs}::bigint`)
}
