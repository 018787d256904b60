import { closeSync, fdatasyncSync, ftruncateSync, openSync, readFileSync, writeFileSync } from 'node:fs'
import { StartError } from '../start-error.js'

/** What the simulated ledger has committed. */
export type LedgerEntry =
  | {
      readonly type: 'identity'
      /** The transaction. 64 hex characters. */
      readonly umid: string
      /** Identity stream id, 64 hex characters. */
      readonly identity: string
      /** The key that signs for it: compressed, hex. */
      readonly publicKey: string
    }
  | {
      readonly type: 'assignment'
      readonly umid: string
      /** Wallet stream id. */
      readonly wallet: string
      /** Identity stream id. */
      readonly owner: string
    }

const HEADER = JSON.stringify({ journal: 'billhook simulated ledger', version: 1 })
const LINE_FEED = 0x0a

/**
 * The simulated ledger's only state, so that identities can still sign after a restart: one line of JSON for each
 * committed transaction, appended and never changed. It lies in the data directory, whose lock keeps other processes
 * away. Writes block the thread, on purpose: between the check of a transaction and its commit nothing may come, and a
 * sandbox has the time.
 */
export class LedgerJournal {
  private isOpen = true

  private constructor(
    private readonly fd: number,
    private size: number,
    /** Everything that was committed before. */
    readonly committed: readonly LedgerEntry[],
  ) {}

  /**
   * Opens or begins the journal. A last line that is not complete was never acknowledged and is cut off. Throws
   * `StartError` when the file cannot be used or is something else.
   */
  static open(path: string): LedgerJournal {
    const { fd, content } = openOrExplain(path)
    try {
      const size = content.lastIndexOf(LINE_FEED) + 1
      const lines = content.toString('utf8', 0, size).split('\n').slice(0, -1)
      const isOurs = lines.length === 0 ? HEADER.startsWith(content.toString('utf8')) : lines[0] === HEADER
      if (!isOurs) throw new StartError(`${path} is not the journal of a simulated ledger of this version`)
      const entries = lines.slice(1).map((line, i) => {
        const entry = parseEntry(line)
        if (entry === null) throw new StartError(`line ${i + 2} of ${path} is damaged`)
        return entry
      })
      ftruncateSync(fd, size)
      const journal = new LedgerJournal(fd, size, entries)
      if (lines.length === 0) journal.write(HEADER)
      return journal
    } catch (error) {
      closeSync(fd)
      throw error
    }
  }

  /** The entry is on disk when this returns. When it throws, nothing of it is. */
  append(entry: LedgerEntry): void {
    this.write(JSON.stringify(entry))
  }

  close(): void {
    if (!this.isOpen) return
    this.isOpen = false
    closeSync(this.fd)
  }

  private write(line: string): void {
    // The number of a closed descriptor may name another file by now.
    if (!this.isOpen) throw new Error('the journal of the simulated ledger is closed')
    const bytes = Buffer.from(`${line}\n`)
    try {
      writeFileSync(this.fd, bytes)
      fdatasyncSync(this.fd)
    } catch (error) {
      // A part of the line may have been written, and the next one must not continue it.
      ftruncateSync(this.fd, this.size)
      throw error
    }
    this.size += bytes.length
  }
}

function openOrExplain(path: string): { fd: number; content: Buffer } {
  try {
    const fd = openSync(path, 'a+', 0o600)
    return { fd, content: readFileSync(fd) }
  } catch (error) {
    throw new StartError(`the journal of the simulated ledger ${path} cannot be used: ${(error as Error).message}`)
  }
}

function parseEntry(line: string): LedgerEntry | null {
  let value: unknown
  try {
    value = JSON.parse(line)
  } catch {
    return null
  }
  if (typeof value !== 'object' || value === null) return null
  const { type, umid, identity, publicKey, wallet, owner } = value as Record<string, unknown>
  if (typeof umid !== 'string') return null
  if (type === 'identity' && typeof identity === 'string' && typeof publicKey === 'string') {
    return { type, umid, identity, publicKey }
  }
  if (type === 'assignment' && typeof wallet === 'string' && typeof owner === 'string') {
    return { type, umid, wallet, owner }
  }
  return null
}
