import type { JournalLine, LedgerEntry, LedgerJournal } from './ledger-journal.js'
import type { SentTransaction } from './submitted-transaction.js'

/** A committed transaction as the store of a ledger node lists it. */
export interface UmidRow {
  readonly umid: string
  /** Unix milliseconds, as digits. */
  readonly timestamp: string
}

/** A committed transaction as the read API of a ledger node tells it. */
export interface CommittedTransaction extends SentTransaction {
  readonly $umid: string
  readonly $revs: Readonly<Record<string, unknown>>
  readonly $datetime: string
}

type ArchivedLine = JournalLine & { readonly atMs: number }

/**
 * What the simulated ledger has committed, to be read in order of time and by transaction. Transactions of a journal that
 * an earlier version wrote are not in it, because that version did not keep them.
 */
export class LedgerArchive {
  private readonly lines: ArchivedLine[] = []
  private readonly byUmid = new Map<string, ArchivedLine>()

  constructor(private readonly journal: LedgerJournal) {
    for (const line of journal.committed) this.keep(line)
  }

  /** Commits a transaction; it is on disk when this returns. Throws when it cannot be. */
  commit(entry: LedgerEntry, nowMs: number, transaction: SentTransaction): void {
    // The order of commitment is the order of time, also when the clock steps back.
    const atMs = Math.max(nowMs, this.lines.at(-1)?.atMs ?? 0)
    this.keep(this.journal.append(entry, atMs, transaction))
  }

  /** Up to `limit` transactions from a time on, inclusive, oldest first. */
  since(fromMs: number, limit: number): readonly UmidRow[] {
    const first = this.lines.findIndex(({ atMs }) => atMs >= fromMs)
    if (first === -1) return []
    return this.lines
      .slice(first, first + limit)
      .map(({ entry, atMs }) => ({ umid: entry.umid, timestamp: String(atMs) }))
  }

  transaction(umid: string): CommittedTransaction | undefined {
    const line = this.byUmid.get(umid)
    if (line === undefined) return undefined
    const { $tx, $sigs, $selfsign } = this.journal.transactionAt(line.place)
    return { $umid: umid, $tx, $sigs, $revs: {}, $selfsign, $datetime: new Date(line.atMs).toISOString() }
  }

  get size(): number {
    return this.lines.length
  }

  private keep(line: JournalLine): void {
    const { atMs } = line
    if (atMs === null) return
    const archived = { ...line, atMs }
    this.lines.push(archived)
    this.byUmid.set(line.entry.umid, archived)
  }
}
