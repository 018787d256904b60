/** A transaction as a node's store lists it, and when it arrived at the ledger, Unix milliseconds on the ledger's clock. */
export interface ListedTransaction {
  readonly umid: string
  readonly timestampMs: number
}

/** A place in a listing in order of time. Several transactions may share a millisecond, so it names those that were read. */
export interface ListingPosition {
  /** The last time of which transactions were read. */
  readonly timestampMs: number
  /** Those of that time. */
  readonly umids: readonly string[]
}

/** How far a ledger has been followed. */
export interface LedgerProgress {
  /** What was followed, and from where: the progress with something else says nothing. */
  readonly origin: string
  /** The latest time of a transaction that was taken; where following began, before the first one. */
  readonly newestMs: number
  /** What was listed from this time on is remembered, and read again: transactions are listed late. */
  readonly windowMs: number
  /** How far the comparison with the whole ledger has come; null when none is under way. */
  readonly comparingMs: number | null
  /** When the last comparison ended, Unix milliseconds on this machine's clock. */
  readonly comparedAtMs: number
}

/** A listed transaction that could not be looked up: it is asked for again and holds up nobody. */
export interface SetAside extends ListedTransaction {
  /** How often it was asked for. */
  readonly attempts: number
  /** When it is asked for again, Unix milliseconds. */
  readonly dueMs: number
}

/** What a follower remembers over restarts. */
export interface LedgerMemory {
  readonly progress: LedgerProgress
  /** The transactions that were taken or set aside and are listed at `windowMs` or later. */
  readonly taken: readonly ListedTransaction[]
  readonly setAside: readonly SetAside[]
}

/** What is kept in one go. Progress with another origin than before forgets everything else first. */
export interface LedgerStep extends LedgerMemory {
  /** Transactions that are set aside no more. */
  readonly settled: readonly string[]
}

/** The position behind `rows`, which are in order of time and not older than what was read before. */
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

/** The rows of a page that begins at the position's time which have not been read, each once. */
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
