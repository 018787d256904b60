import { closeSync, fdatasyncSync, ftruncateSync, readFileSync, readSync, writeFileSync } from 'node:fs'
import { isObject, parseJson } from '../base/json-object.js'
import { openOwned } from '../base/owned-file.js'
import { OperatorError } from '../operator-error.js'
import type { CommittedTransaction } from './submitted-transaction.js'

/** What the simulated ledger has committed. */
export type LedgerEntry =
  | {
      readonly type: 'identity'
      /** The transaction. 64 hex characters. */
      readonly umid: string
      /** Identity stream id, 64 hex characters. */
      readonly identity: string
      /** The key that it was onboarded with, as the transaction spells it. Earlier versions wrote compressed hex without `0x`. */
      readonly publicKey: string
    }
  | {
      readonly type: 'assignment'
      readonly umid: string
      /** Wallet stream id. */
      readonly wallet: string
      /** Identity stream id. */
      readonly owner: string
      /** Whether a key of the owner signed it. The ledger commits others as well. */
      readonly isSigned: boolean
    }
  | {
      readonly type: 'keys'
      readonly umid: string
      /** Identity stream id. */
      readonly identity: string
      /** Its only key from now on, as the transaction spells it. */
      readonly publicKey: string
    }
  | {
      /** It changed nothing that the ledger keeps. */
      readonly type: 'plain'
      readonly umid: string
      /** Whether it changed a stream. The listing leaves out what changed none. */
      readonly isListed: boolean
    }
  | {
      /** The nodes agreed on it but did not save it: it is listed and cannot be read. */
      readonly type: 'unsaved'
      readonly umid: string
    }

/** A line of the journal. */
export interface JournalLine {
  readonly entry: LedgerEntry
  /** When the transaction arrived, Unix milliseconds. */
  readonly atMs: number
  /** Where the line is in the file, so that its transaction need not stay in memory. */
  readonly offset: number
  readonly lengthBytes: number
}

type Place = Pick<JournalLine, 'offset' | 'lengthBytes'>

const HEADER = JSON.stringify({ journal: 'billhook simulated ledger', version: 1 })
const LINE_FEED = 0x0a

/**
 * The simulated ledger's only state, which lets identities sign after a restart: one line of JSON for each committed
 * transaction, appended and never changed. It is in the data directory, whose lock keeps other processes away. Writes
 * block the thread on purpose: nothing may run between the check of a transaction and its commit.
 */
export class LedgerJournal {
  private isOpen = true

  private constructor(
    private readonly fd: number,
    private size: number,
    /** What was committed before it was opened. */
    readonly committed: readonly JournalLine[],
  ) {}

  get sizeBytes(): number {
    return this.size
  }

  /**
   * Opens the journal, or creates it. An incomplete last line was never acknowledged and is cut off. Throws `OperatorError`
   * when the file cannot be used or is not a journal.
   */
  static open(path: string): LedgerJournal {
    const { fd, content } = openOrExplain(path)
    try {
      const size = content.lastIndexOf(LINE_FEED) + 1
      const texts = content.toString('utf8', 0, size).split('\n').slice(0, -1)
      const isOurs = texts.length === 0 ? HEADER.startsWith(content.toString('utf8')) : texts[0] === HEADER
      if (!isOurs) throw new OperatorError(`${path} is not the journal of a simulated ledger of this version`)
      let offset = HEADER.length + 1
      const lines = texts.slice(1).map((text, i) => {
        const parsed = parseLine(text)
        if (parsed === null) throw new OperatorError(`line ${i + 2} of ${path} is damaged`)
        const place = { offset, lengthBytes: Buffer.byteLength(text) }
        offset += place.lengthBytes + 1
        return { ...parsed, ...place }
      })
      ftruncateSync(fd, size)
      const journal = new LedgerJournal(fd, size, lines)
      if (texts.length === 0) journal.write(HEADER)
      return journal
    } catch (error) {
      closeSync(fd)
      throw error
    }
  }

  /** The entry is on disk when this returns. When it throws, nothing of it is. */
  append(entry: LedgerEntry, atMs: number, transaction: CommittedTransaction): JournalLine {
    return { entry, atMs, ...this.write(JSON.stringify({ ...entry, at: atMs, transaction })) }
  }

  /** The transaction of a line. */
  transactionAt({ offset, lengthBytes }: Place): CommittedTransaction {
    this.assertOpen()
    const bytes = Buffer.alloc(lengthBytes)
    readSync(this.fd, bytes, 0, lengthBytes, offset)
    const { transaction } = JSON.parse(bytes.toString()) as { transaction: CommittedTransaction }
    return transaction
  }

  close(): void {
    if (!this.isOpen) return
    this.isOpen = false
    closeSync(this.fd)
  }

  private write(line: string): Place {
    this.assertOpen()
    const bytes = Buffer.from(`${line}\n`)
    try {
      writeFileSync(this.fd, bytes)
      fdatasyncSync(this.fd)
    } catch (error) {
      // Part of the line may have been written, and the next one must not continue it.
      ftruncateSync(this.fd, this.size)
      throw error
    }
    const place = { offset: this.size, lengthBytes: bytes.length - 1 }
    this.size += bytes.length
    return place
  }

  private assertOpen(): void {
    // The number of a closed descriptor may belong to another file by now.
    if (!this.isOpen) throw new Error('the journal of the simulated ledger is closed')
  }
}

function openOrExplain(path: string): { fd: number; content: Buffer } {
  try {
    const fd = openOwned(path)
    return { fd, content: readFileSync(fd) }
  } catch (error) {
    throw new OperatorError(`the journal of the simulated ledger ${path} cannot be used: ${(error as Error).message}`)
  }
}

function parseLine(text: string): Omit<JournalLine, keyof Place> | null {
  const value = parseJson(text)
  if (!isObject(value) || !isObject(value['transaction'])) return null
  const entry = parseEntry(value)
  const { at } = value
  return entry !== null && typeof at === 'number' && Number.isSafeInteger(at) ? { entry, atMs: at } : null
}

function parseEntry(line: Readonly<Record<string, unknown>>): LedgerEntry | null {
  const { type, umid, identity, publicKey, wallet, owner, isSigned = true, isListed } = line
  if (typeof umid !== 'string') return null
  if ((type === 'identity' || type === 'keys') && typeof identity === 'string' && typeof publicKey === 'string') {
    return { type, umid, identity, publicKey }
  }
  if (type === 'assignment' && typeof wallet === 'string' && typeof owner === 'string') {
    return { type, umid, wallet, owner, isSigned: isSigned !== false }
  }
  if (type === 'plain') return { type, umid, isListed: isListed === true }
  if (type === 'unsaved') return { type, umid }
  return null
}
