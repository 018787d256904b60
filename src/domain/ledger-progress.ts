/**
 * A transaction as a node's store lists it, and when it arrived at the ledger, Unix milliseconds on the ledger's clock.
 */
export interface ListedTransaction {
  readonly umid: string
  readonly timestampMs: number
}

/**
 * A position in a listing ordered by time. Several transactions may share a millisecond, so it names those that were
 * read.
 */
export interface ListingPosition {
  /** The last millisecond of which transactions were read. */
  readonly timestampMs: number
  /** The transactions of that millisecond that were read. */
  readonly umids: readonly string[]
}

/** How far a ledger has been followed. */
export interface LedgerProgress {
  /** What was followed, and from where. Progress of another origin does not apply. */
  readonly origin: string
  /** The latest time of a transaction taken so far; before the first one, where following began. */
  readonly newestMs: number
  /**
   * Start of the overlap: transactions listed from this time on are remembered and read again, because some are listed
   * late.
   */
  readonly windowMs: number
  /** Progress of the comparison with the whole ledger; null if none is running. */
  readonly comparingMs: number | null
  /** When the last comparison ended, Unix milliseconds on this machine's clock. */
  readonly comparedAtMs: number
}

/** Why a transaction is set aside: no node has what is needed, nodes failed to answer, or its signer may or may not have been one of its owner's keys. */
export type AsideReason = 'missing' | 'failed' | 'undecided'

/** A listed transaction that could not be looked up. It is retried and blocks no other. */
export interface SetAside extends ListedTransaction {
  /** Attempts so far. */
  readonly attempts: number
  /** Time of the next attempt, Unix milliseconds. */
  readonly dueMs: number
}

/** What a follower remembers across restarts. */
export interface LedgerMemory {
  readonly progress: LedgerProgress
  /** Transactions listed at `windowMs` or later that were taken or set aside. */
  readonly taken: readonly ListedTransaction[]
  readonly setAside: readonly SetAside[]
}

/** Changes that are stored together. Progress with another origin first forgets everything else. */
export interface LedgerStep extends LedgerMemory {
  /** Transactions that are no longer set aside. */
  readonly settled: readonly string[]
}

/** The position after `rows`, which are ordered by time and not older than the present position. */
export function advance(position: ListingPosition, rows: readonly ListedTransaction[]): ListingPosition {
  let { timestampMs } = position
  let umids = [...position.umids]
  for (const row of rows) {
    if (row.timestampMs < timestampMs) throw new Error('a ledger is read in order of time')
    if (row.timestampMs > timestampMs) umids = []
    timestampMs = row.timestampMs
    umids.push(row.umid)
  }
  return { timestampMs, umids }
}

/** The unread rows, each once, of a page that begins at the position's time. */
export function notRead<Row extends ListedTransaction>(
  position: ListingPosition,
  page: readonly Row[],
): readonly Row[] {
  const read = new Set(position.umids)
  return page.filter(({ umid }) => {
    if (read.has(umid)) return false
    read.add(umid)
    return true
  })
}
