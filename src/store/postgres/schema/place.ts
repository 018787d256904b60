import { OperatorError } from '../../../operator-error.js'
import { type Fragment, sql } from '../connection/sql.js'

/** Where the tables are, or would be made. */
export interface Place {
  /** The first schema of the search path that exists. */
  readonly schema: string | null
  readonly path: string
  /** Whether it has our tables. */
  readonly isOurs: boolean
  /** Another schema in which this role has our tables. */
  readonly elsewhere: string | null
}

export const ASK_PLACE: Fragment = sql`
  SELECT current_schema()::text AS schema, current_setting('search_path') AS path,
    EXISTS (SELECT 1 FROM pg_tables WHERE tablename = 'billhook' AND schemaname = current_schema()) AS "isOurs",
    (SELECT min(schemaname::text) FROM pg_tables
      WHERE tablename = 'billhook' AND tableowner = current_user AND schemaname IS DISTINCT FROM current_schema()) AS elsewhere`

/**
 * Throws `OperatorError` where the tables cannot be made, or would be made anew although there are some: a service on empty tables
 * would take deposits, and know no invoice.
 */
export function assertPlace({ schema, path, isOurs, elsewhere }: Place): void {
  if (isOurs) return
  if (elsewhere !== null) {
    throw new OperatorError(
      `the tables are in the schema ${elsewhere}, which search_path (${path}) does not name first: ` +
        `ALTER ROLE … IN DATABASE … SET search_path = '${elsewhere}'`,
    )
  }
  if (schema === null) {
    throw new OperatorError(
      `search_path (${path}) names no schema that this role may use: ALTER ROLE … IN DATABASE … SET search_path = 'public', or make the schema`,
    )
  }
}
