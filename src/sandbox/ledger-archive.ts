import type { JournalLine, LedgerEntry, LedgerJournal } from './ledger-journal.js'
import type { SentTransaction } from './submitted-transaction.js'

/** A committed transaction in the listing of a ledger node's store. */
export interface UmidRow {
  readonly umid: string
  /** Unix milliseconds, as digits. */
  readonly timestamp: string
}

/** A committed transaction in the read API of a ledger node. */
export interface CommittedTransaction extends SentTransaction {
  readonly $umid: string
  readonly $revs: Readonly<Record<string, unknown>>
  readonly $datetime: string
}

/**
 * What the simulated ledger has committed, in order of arrival and by transaction. A line appears when its transaction is
 * committed, at the position of its arrival, which may lie before what a client has read already.
 */
export class LedgerArchive {
  /** In order of time, and of transactions within a millisecond. */
  private readonly rows: UmidRow[] = []
  private readonly byUmid = new Map<string, JournalLine>()

  constructor(private readonly journal: LedgerJournal) {
    for (const line of journal.committed) this.keep(line)
  }

  /** Commits a transaction that arrived at `atMs`; it is on disk when this returns. Throws when it cannot be. */
  commit(entry: LedgerEntry, atMs: number, transaction: SentTransaction): void {
    this.keep(this.journal.append(entry, atMs, transaction))
  }

  /** Lists a transaction at its position, whether it can be read or not. */
  list(umid: string, atMs: number): void {
    const row = { umid, timestamp: String(atMs) }
    const key = keyOf(row)
    const place = this.rows.findLastIndex((other) => keyOf(other) < key) + 1
    this.rows.splice(place, 0, row)
  }

  /** Up to `limit` transactions from a time on, inclusive, oldest first. Times are compared as text, as nodes do. */
  since(from: string, limit: number): readonly UmidRow[] {
    const first = this.rows.findIndex(({ timestamp }) => timestamp >= from)
    return first === -1 ? [] : this.rows.slice(first, first + limit)
  }

  transaction(umid: string): CommittedTransaction | undefined {
    const line = this.byUmid.get(umid)
    if (line === undefined) return undefined
    const { $tx, $sigs, $selfsign } = this.journal.transactionAt(line.place)
    return { $umid: umid, $tx, $sigs, $revs: {}, $selfsign, $datetime: new Date(line.atMs).toISOString() }
  }

  get size(): number {
    return this.rows.length
  }

  private keep(line: JournalLine): void {
    this.list(line.entry.umid, line.atMs)
    if (line.entry.type !== 'unsaved') this.byUmid.set(line.entry.umid, line)
  }
}

function keyOf({ timestamp, umid }: UmidRow): string {
  return `${timestamp} ${umid}`
}
