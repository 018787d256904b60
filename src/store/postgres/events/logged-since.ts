import type { SilentWork } from '../../rules/import-outcomes.js'
import { sql } from '../connection/sql.js'
import type { Work } from '../connection/work.js'

/** What a unit of work does to note from when on every change is an event, and to tell nobody what it does. All imports lock the same row. */
export function logWorkOn(work: Work): SilentWork {
  return {
    readClock: () => work.readClock(),
    logFrom: (timeMs) => work.write(sql`UPDATE logged SET since = ${timeMs}::bigint WHERE since < ${timeMs}::bigint`),
    silence: () => work.silence(),
  }
}
