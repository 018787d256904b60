import type { Clock } from '../../../clock.js'
import { type Fragment, sql } from './sql.js'

/**
 * The present time as a piece of SQL, Unix ms: the database's, so that it is the same for all processes, or that of a test. It is read
 * once for a statement: compared with each row anew, it could not be looked up in an index.
 */
export function presentTime({ clock }: { readonly clock?: Clock }): Fragment {
  if (clock !== undefined) return sql`${clock.now()}::bigint`
  return sql`(SELECT floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint)`
}
