import { StorageUnavailable } from '../../refusals.js'

/** The database did not say whether it has made a write durable, and could not be asked. The write may have happened. */
export class FateUnknown extends StorageUnavailable {}

/** The server is there, or may be, and does not answer. */
export class ServerSilent extends Error {
  override readonly name = 'ServerSilent'
  constructor(silentMs: number) {
    super(`the database server has not answered for ${silentMs} ms`)
  }
}

/** A unit of work has found out too late which wallets it needs. It is tried again, and locks them then. */
export class WalletsMissing extends Error {
  override readonly name = 'WalletsMissing'
  constructor() {
    super('a unit of work needs wallets that it has not locked')
  }
}

/**
 * Waits for others and is tried again: `serialization_failure`, `deadlock_detected`, and a row or a table that another has just
 * made, of which `IF NOT EXISTS` does not know yet.
 */
const RETRIED = new Set(['40001', '40P01', '23505', '42P07', '42710'])

/** `undefined_table`. */
const NO_TABLE = '42P01'
/** `lock_not_available`: a lock did not come within `lock_timeout`. */
const NO_LOCK = '55P03'
/** `insufficient_privilege`. */
const FORBIDDEN = '42501'
/** `invalid_sql_statement_name` and `duplicate_prepared_statement`: each statement comes to another session of the server. */
const OTHER_SESSION: readonly string[] = ['26000', '42P05']

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
  NO_LOCK,
  ...OTHER_SESSION,
])

/** Classes of `SQLSTATE`: connection exceptions. */
const CONNECTION_CLASS = '08'

function codeOf(error: unknown): string | null {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : null
}

export function isRetried(error: unknown): boolean {
  const code = codeOf(error)
  if (error instanceof WalletsMissing) return true
  return code !== null && RETRIED.has(code)
}

/** Whether an error says that the database cannot be written to now, and nothing about the statement. */
export function isUnavailable(error: unknown): boolean {
  const code = codeOf(error)
  if (code === null) return false
  return UNAVAILABLE.has(code) || code.startsWith(CONNECTION_CLASS)
}

/** Whether somebody else keeps a lock that a statement waited for. */
export function isLockTimeout(error: unknown): boolean {
  return codeOf(error) === NO_LOCK
}

/** Whether a session of the server was not the one that a statement was prepared in. */
export function isOfOtherSession(error: unknown): boolean {
  return OTHER_SESSION.includes(codeOf(error) ?? '')
}

/** Whether the role may not do what it must. */
export function isForbidden(error: unknown): boolean {
  return codeOf(error) === FORBIDDEN
}

/** What the operator has to set when a pooler lends a session for each transaction. */
export const POOLER_ADVICE =
  'a pooler in front of the database lends a session for each transaction: add pooler=transaction to the address in BILLHOOK_STORE, ' +
  'and give the settings to the role, as docs/clusters.md says'

/** The refusal that an error of the database means, with the cause in words for the log. */
export function unavailable(error: unknown): StorageUnavailable {
  const why = whyUnavailable(codeOf(error))
  return new StorageUnavailable(why === null ? error : new Error(why, { cause: error }))
}

function whyUnavailable(code: string | null): string | null {
  if (code === NO_TABLE) {
    return 'a newer Billhook has changed the tables: replace this program by the newer one; or search_path does not name their schema'
  }
  if (code === NO_LOCK)
    return 'somebody else keeps a lock in the database that was waited for: docs/clusters.md shows how to see who'
  return code !== null && OTHER_SESSION.includes(code) ? POOLER_ADVICE : null
}
