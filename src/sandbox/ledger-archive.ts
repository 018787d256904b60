import { createHash } from 'node:crypto'
import type { JournalLine, LedgerEntry, LedgerJournal } from './ledger-journal.js'
import type { CommittedTransaction } from './submitted-transaction.js'

/** Transactions that the ledger commits in its lifetime; their effects are kept in memory. */
const LEDGER_ENTRIES_MAX = 100_000
/** Maximum size of the journal, which is read into memory at start. */
const LEDGER_BYTES_MAX = 128 * 1024 * 1024

const COMPRESSED_HEX = /^0[23][0-9a-f]{64}$/

/** A committed transaction in the listing of a ledger node's store. */
export interface UmidRow {
  readonly umid: string
  /** Unix milliseconds, as digits. */
  readonly timestamp: string
}

/** A transaction of an identity, its onboarding first. */
export interface IdentityChange {
  readonly umid: string
  /** The text of the key that signs for the identity from then on. */
  readonly publicKey: string
}

export interface WalletChange {
  readonly umid: string
  readonly owner: string
}

/**
 * What the simulated ledger has committed, in order of arrival and by transaction, and its effects. A line appears when
 * its transaction is committed, at the position of its arrival, which may lie before what a client has read already.
 */
export class LedgerArchive {
  /** In order of time, and of transactions within a millisecond. */
  private readonly rows: UmidRow[] = []
  private readonly byUmid = new Map<string, JournalLine>()
  /** The transactions of each identity and each wallet, in order. */
  private readonly identities = new Map<string, IdentityChange[]>()
  private readonly wallets = new Map<string, WalletChange[]>()

  constructor(private readonly journal: LedgerJournal) {
    for (const line of journal.committed) this.keep(line)
  }

  /** What was committed before the ledger was started. */
  get restored(): readonly LedgerEntry[] {
    return this.journal.committed.map(({ entry }) => entry)
  }

  get isFull(): boolean {
    return this.byUmid.size >= LEDGER_ENTRIES_MAX || this.journal.sizeBytes >= LEDGER_BYTES_MAX
  }

  /** All transactions that were committed so far. */
  get umids(): IterableIterator<string> {
    return this.byUmid.keys()
  }

  has(umid: string): boolean {
    return this.byUmid.has(umid)
  }

  /** The transactions of an identity; empty when there is none. */
  identity(id: string): readonly IdentityChange[] {
    return this.identities.get(id) ?? []
  }

  /** The assignments of a wallet. */
  wallet(id: string): readonly WalletChange[] {
    return this.wallets.get(id) ?? []
  }

  /** Commits a transaction that arrived at `atMs`; it is on disk when this returns. Throws when it cannot be. */
  commit(entry: LedgerEntry, atMs: number, transaction: CommittedTransaction): void {
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
   * do. Without those that the node does not list.
   */
  since(from: string, limit: number, isListed: (umid: string) => boolean): readonly UmidRow[] {
    const first = this.rows.findIndex(({ timestamp }) => timestamp >= from)
    if (first === -1) return []
    const rows = this.rows.slice(first).filter(({ umid }) => isListed(umid))
    return limit > 0 ? rows.slice(0, limit) : rows
  }

  /** A committed transaction as the read API of a node shows it. */
  transaction(umid: string) {
    const line = this.byUmid.get(umid)
    if (line === undefined || line.entry.type === 'unsaved') return undefined
    const { $tx, $sigs, $selfsign, $revs = {} } = this.journal.transactionAt(line)
    return { $umid: umid, $tx, $sigs, $revs, $selfsign, $datetime: new Date(line.atMs).toISOString() }
  }

  private keep(line: JournalLine): void {
    const { entry, atMs } = line
    const { umid } = entry
    this.byUmid.set(umid, line)
    if (entry.type !== 'plain' || entry.isListed) this.list(umid, atMs)
    switch (entry.type) {
      case 'identity':
      case 'keys':
        return this.changeIdentity(entry.identity, { umid, publicKey: keyTextOf(entry.publicKey) })
      case 'assignment': {
        const { wallet, owner } = entry
        this.wallets.set(wallet, [...this.wallet(wallet), { umid, owner }])
        return this.touch(owner, umid)
      }
      case 'plain':
      case 'unsaved':
        return
    }
  }

  /** A transaction of an identity that changes nothing of it. */
  private touch(identity: string, umid: string): void {
    const last = this.identity(identity).at(-1)
    if (last !== undefined) this.changeIdentity(identity, { ...last, umid })
  }

  private changeIdentity(identity: string, change: IdentityChange): void {
    const changes = this.identities.get(identity)
    if (changes === undefined) this.identities.set(identity, [change])
    else changes.push(change)
  }
}

/** The name that the ledger has for a key in a list of signatures. */
export function hashOfKey(publicKey: string): string {
  return createHash('sha256').update(publicKey).digest('hex')
}

function keyTextOf(publicKey: string): string {
  return COMPRESSED_HEX.test(publicKey) ? `0x${publicKey}` : publicKey
}

function keyOf({ timestamp, umid }: UmidRow): string {
  return `${timestamp} ${umid}`
}
