import { StorageUnavailable } from '../../refusals.js'

/** The database did not say whether it has made a write durable, and could not be asked. The write may have happened. */
export class FateUnknown extends StorageUnavailable {}

/**
 * Waits for others and is tried again: `serialization_failure`, `deadlock_detected`, and a row or a table that another has just
 * made, of which `IF NOT EXISTS` does not know yet.
 */
const RETRIED = new Set(['40001', '40P01', '23505', '42P07', '42710'])

/** `undefined_table`. */
const NO_TABLE = '42P01'

/**
 * The server cannot write now, though the session may be alive: read-only, shutting down, starting, no room, too many sessions. Or a
 * later version of the program has taken away a table.
 */
const UNAVAILABLE = new Set([
  '25006',
  '57P01',
  '57P02',
  '57P03',
  '57014',
  '53000',
  '53100',
  '53200',
  '53300',
  '58030',
  '25P03',
  '25P04',
  '53400',
  '57P04',
  '57P05',
  NO_TABLE,
])

/** Classes of `SQLSTATE`: connection exceptions. */
const CONNECTION_CLASS = '08'

function codeOf(error: unknown): string | null {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : null
}

export function isRetried(error: unknown): boolean {
  const code = codeOf(error)
  return code !== null && RETRIED.has(code)
}

/** Whether an error says that the database cannot be written to now, and nothing about the statement. */
export function isUnavailable(error: unknown): boolean {
  const code = codeOf(error)
  if (code === null) return false
  return UNAVAILABLE.has(code) || code.startsWith(CONNECTION_CLASS)
}

/** The refusal that an error of the database means, with the cause in words for the log. */
export function unavailable(error: unknown): StorageUnavailable {
  if (codeOf(error) !== NO_TABLE) return new StorageUnavailable(error)
  const why = 'a newer Billhook has changed the tables: replace this program by the newer one'
  return new StorageUnavailable(new Error(why, { cause: error }))
}
