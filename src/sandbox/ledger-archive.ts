import type { JournalLine, LedgerEntry, LedgerJournal } from './ledger-journal.js'
import type { SentTransaction } from './submitted-transaction.js'

/** Transactions that the ledger commits in its lifetime; their effects are kept in memory. */
const LEDGER_ENTRIES_MAX = 100_000
/** Maximum size of the journal, which is read into memory at start. */
const LEDGER_BYTES_MAX = 128 * 1024 * 1024

/** A committed transaction in the listing of a ledger node's store. */
export interface UmidRow {
  readonly umid: string
  /** Unix milliseconds, as digits. */
  readonly timestamp: string
}

/**
 * What the simulated ledger has committed, in order of arrival and by transaction, and its effects. A line appears when
 * its transaction is committed, at the position of its arrival, which may lie before what a client has read already.
 */
export class LedgerArchive {
  /** In order of time, and of transactions within a millisecond. */
  private readonly rows: UmidRow[] = []
  private readonly byUmid = new Map<string, JournalLine>()
  /** Public keys by identity: compressed, hex behind `0x`. */
  readonly keys = new Map<string, string>()
  /** Owners by wallet. */
  readonly owners = new Map<string, string>()

  constructor(private readonly journal: LedgerJournal) {
    for (const line of journal.committed) this.keep(line)
  }

  /** What was committed before the ledger was started. */
  get restored(): readonly LedgerEntry[] {
    return this.journal.committed.map(({ entry }) => entry)
  }

  get isFull(): boolean {
    return this.rows.length >= LEDGER_ENTRIES_MAX || this.journal.sizeBytes >= LEDGER_BYTES_MAX
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

  /**
   * Up to `limit` transactions from a time on, inclusive, oldest first; 0 for all. Times are compared as text, as nodes
   * do.
   */
  since(from: string, limit: number): readonly UmidRow[] {
    const first = this.rows.findIndex(({ timestamp }) => timestamp >= from)
    return first === -1 ? [] : this.rows.slice(first, limit > 0 ? first + limit : undefined)
  }

  /** A committed transaction as the read API of a node shows it. */
  transaction(umid: string) {
    const line = this.byUmid.get(umid)
    if (line === undefined) return undefined
    const { $tx, $sigs, $selfsign } = this.journal.transactionAt(line)
    return { $umid: umid, $tx, $sigs, $revs: {}, $selfsign, $datetime: new Date(line.atMs).toISOString() }
  }

  private keep(line: JournalLine): void {
    const { entry, atMs } = line
    this.list(entry.umid, atMs)
    if (entry.type !== 'unsaved') this.byUmid.set(entry.umid, line)
    if (entry.type === 'identity') this.keys.set(entry.identity, `0x${entry.publicKey}`)
    if (entry.type === 'assignment') this.owners.set(entry.wallet, entry.owner)
  }
}

function keyOf({ timestamp, umid }: UmidRow): string {
  return `${timestamp} ${umid}`
}
