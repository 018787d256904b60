import { advance, type ListedTransaction, type ListingPosition, notRead } from '../domain/ledger-progress.js'
import type { FollowerMemory } from './follower-memory.js'
import type { LedgerSource } from './ledger-nodes.js'
import type { TransactionIntake } from './transaction-intake.js'

const NOTHING_COMPARED: ComparedCounts = { listed: 0, transactions: 0, missed: 0, recent: 0 }

/** Rows in one step. The follower takes one step after each poll, which bounds the load on the nodes. */
export const COMPARED_ROWS = 100

export interface LedgerComparisonParts {
  readonly source: Pick<LedgerSource, 'umids'>
  readonly memory: FollowerMemory
  readonly intake: TransactionIntake
  /** Where following began, Unix milliseconds on the ledger's clock. */
  readonly fromMs: number
  readonly end: ComparisonEnd
}

/** Where a comparison ends: at the beginning of the follower's window, or where the listing does. */
export type ComparisonEnd = 'window' | 'listing'

/** The counts of a comparison. */
export interface ComparedCounts {
  /** Transactions that the stores list, and those of them that were compared. */
  readonly listed: number
  readonly transactions: number
  /** Facts that were unknown: listed before the follower's window, or in it and behind it. */
  readonly missed: number
  readonly recent: number
}

/** How a step ended. `more`: there is another step to take. */
export type StepEnd = 'more' | 'done' | { readonly failure: string }

/**
 * Goes through everything that the stores list and takes it again. Known transactions are duplicates; missed ones,
 * which were listed too late or only by a store that was not queried then, are applied. What is set aside is left to its
 * own retries. Beside a follower it ends at the beginning of the follower's window, which is read again all the time. It
 * waits while a store does not answer.
 *
 * Its progress is stored, so that a restart continues it.
 */
export class LedgerComparison {
  private position: ListingPosition | null = null
  private present: { -readonly [Count in keyof ComparedCounts]: ComparedCounts[Count] } = { ...NOTHING_COMPARED }
  /** The beginning of the follower's window when the present comparison began. */
  private windowMs = 0

  constructor(private readonly parts: LedgerComparisonParts) {}

  /** The counts of the present or last comparison, since the start of the process. */
  get counts(): ComparedCounts {
    return { ...this.present }
  }

  /** Compares from a time on, or from where a present comparison has come, whichever is earlier. */
  async beginAt(timestampMs: number): Promise<void> {
    const { memory, fromMs } = this.parts
    const comparingMs = Math.min(memory.progress.comparingMs ?? Number.POSITIVE_INFINITY, Math.max(timestampMs, fromMs))
    await memory.note({ comparingMs })
    this.position = null
  }

  /** Begins a comparison, or continues the present one. */
  async step(): Promise<StepEnd> {
    const { source, memory, intake, fromMs } = this.parts
    if (this.position === null) {
      this.position = { timestampMs: memory.progress.comparingMs ?? fromMs, umids: [] }
      this.present = { ...NOTHING_COMPARED }
      this.windowMs = memory.progress.windowMs
    }
    const { position } = this
    const limit = position.umids.length + COMPARED_ROWS
    const listing = await source.umids(position.timestampMs, limit)
    if (listing.kind === 'unclear') return { failure: `the listing: ${listing.why}` }
    const [silent] = listing.silent
    if (silent !== undefined) return { failure: `the listing of ${silent.node}: ${silent.why}` }
    const read = notRead(position, listing.rows)
    const portions = this.portionsOf(read)
    for (const [count, rows] of portions) {
      const taken = await intake.take(rows, 'compared')
      this.present[count] += taken.applied
      if (taken.kind === 'failed') return { failure: taken.why }
    }
    this.present.listed += read.length
    this.present.transactions += portions.reduce((sum, [, rows]) => sum + rows.length, 0)
    const next = advance(position, read)
    const isDone = !listing.isFull || read.length === 0 || this.isBehindEnd(next)
    await memory.note({ comparingMs: isDone ? null : next.timestampMs })
    this.position = isDone ? null : next
    return isDone ? 'done' : 'more'
  }

  /** The rows to take, by what a fact among them is counted as. */
  private portionsOf(read: readonly ListedTransaction[]) {
    const { memory, end } = this.parts
    const edgeMs = end === 'window' ? memory.progress.windowMs : this.windowMs
    const rows = read.filter(({ umid }) =>
      end === 'window' ? !memory.isKnown(umid) : memory.attemptsOf(umid) === null,
    )
    const missed = rows.filter(({ timestampMs }) => timestampMs < edgeMs)
    const recent = end === 'window' ? [] : rows.filter(({ timestampMs }) => timestampMs >= edgeMs)
    return [['missed', missed] as const, ['recent', recent] as const]
  }

  private isBehindEnd({ timestampMs }: ListingPosition): boolean {
    return this.parts.end === 'window' && timestampMs >= this.parts.memory.progress.windowMs
  }
}
