/** How far a ledger has been followed. Several transactions may share a millisecond, so it names those of the last one. */
export interface LedgerCursor {
  /** What was followed, and from where: a cursor of something else says nothing. */
  readonly origin: string
  /** The last time of which transactions were taken, Unix milliseconds on the ledger's clock. */
  readonly timestampMs: number
  /** Transactions of that time that were taken, in that order. */
  readonly umids: readonly string[]
}

/** A committed transaction and when it was committed, Unix milliseconds on the ledger's clock. */
export interface CommittedAt {
  readonly umid: string
  readonly timestampMs: number
}

/** The cursor behind `rows`, which are in order of time and not older than what was taken before. */
export function advance(cursor: LedgerCursor, rows: readonly CommittedAt[]): LedgerCursor {
  let { timestampMs } = cursor
  let umids = [...cursor.umids]
  for (const row of rows) {
    if (row.timestampMs < timestampMs) throw new Error('a ledger is followed in order of time')
    if (row.timestampMs > timestampMs) umids = []
    timestampMs = row.timestampMs
    umids.push(row.umid)
  }
  return { ...cursor, timestampMs, umids }
}

/** The rows of a page that begins at the cursor's time which have not been taken, each once. */
export function notTaken<Row extends CommittedAt>(cursor: LedgerCursor, page: readonly Row[]): readonly Row[] {
  const taken = new Set(cursor.umids)
  return page.filter(({ umid }) => {
    if (taken.has(umid)) return false
    taken.add(umid)
    return true
  })
}
