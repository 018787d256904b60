import { advance, type ListingPosition, notRead } from '../domain/ledger-progress.js'
import type { FollowerMemory } from './follower-memory.js'
import type { LedgerSource } from './ledger-nodes.js'
import type { TransactionIntake } from './transaction-intake.js'

/** Rows in one step. The follower takes one step after each poll, which bounds the load on the nodes. */
export const COMPARED_ROWS = 100

export interface LedgerComparisonParts {
  readonly source: Pick<LedgerSource, 'umids'>
  readonly memory: FollowerMemory
  readonly intake: TransactionIntake
  /** Where following began, Unix milliseconds on the ledger's clock. */
  readonly fromMs: number
}

/** How a step ended. `more`: there is another step to take. */
export type StepEnd = 'more' | 'done' | { readonly failure: string }

/**
 * Goes through everything that the stores list and takes it again. Known transactions are duplicates; missed ones,
 * which were listed too late or only by a store that was not queried then, are applied. It ends at the beginning of the
 * follower's window, which is read again all the time. It waits while a store does not answer.
 *
 * Its progress is stored, so that a restart continues it.
 */
export class LedgerComparison {
  private position: ListingPosition | null = null
  /** Transactions compared, and missed facts found, in the present comparison. */
  private compared = 0
  private found = 0

  constructor(private readonly parts: LedgerComparisonParts) {}

  /** The counts of the present or last comparison, since the start of the process. */
  get counts(): { readonly transactions: number; readonly missed: number } {
    return { transactions: this.compared, missed: this.found }
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
      this.compared = 0
      this.found = 0
    }
    const { position } = this
    const limit = position.umids.length + COMPARED_ROWS
    const listing = await source.umids(position.timestampMs, limit)
    if (listing.kind === 'unclear') return { failure: `the listing: ${listing.why}` }
    const [silent] = listing.silent
    if (silent !== undefined) return { failure: `the listing of ${silent.store}: ${silent.why}` }
    const { windowMs } = memory.progress
    const read = notRead(position, listing.rows)
    const rows = read.filter(({ umid, timestampMs }) => timestampMs < windowMs && !memory.isKnown(umid))
    const taken = await intake.take(rows, 'compared')
    if (taken.kind === 'failed') return { failure: taken.why }
    this.compared += rows.length
    this.found += taken.applied
    const next = advance(position, read)
    const isDone = !listing.isFull || read.length === 0 || next.timestampMs >= windowMs
    await memory.note({ comparingMs: isDone ? null : next.timestampMs })
    this.position = isDone ? null : next
    return isDone ? 'done' : 'more'
  }
}
