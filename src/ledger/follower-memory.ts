import type { Clock } from '../clock.js'
import type {
  AsideReason,
  LedgerMemory,
  LedgerProgress,
  LedgerStep,
  ListedTransaction,
  SetAside,
} from '../domain/ledger-progress.js'
import type { Logger } from '../log.js'
import type { LedgerPort } from '../store/ledger.js'

/** Transactions remembered; the overlap is shortened where it holds more. */
const TAKEN_MAX = 200_000
/** Transactions set aside; a further one replaces the one with the most attempts. */
export const SET_ASIDE_MAX = 10_000
/** The window moves in steps of this part of the overlap, so that it is not scanned for each transaction. */
const WINDOW_STEPS = 16

export interface FollowerMemoryOptions {
  readonly ledger: Pick<LedgerPort, 'saveStep'>
  /** How far behind the newest transaction everything is remembered, and read again. */
  readonly overlapMs: number
  readonly clock: Clock
  readonly log: Logger
}

/** The result of a piece of work, to be stored. */
export interface Noted {
  /** Transactions that need no further look-up: they were taken, or are set aside. */
  readonly taken?: readonly ListedTransaction[]
  readonly setAside?: readonly AskedInVain[]
  /** Transactions that are no longer set aside. */
  readonly settled?: readonly string[]
  /** How far the comparison has come; null when it has ended. */
  readonly comparingMs?: number | null
}

/** A transaction that was set aside by this process, and why. */
export type AskedInVain = SetAside & { readonly reason: AsideReason }

/** How many transactions are set aside for which reason. `unasked`: they have not been asked for since the start. */
export type AsideCounts = Readonly<Record<AsideReason | 'unasked', number>>

/** What a follower remembers of the ledger, in memory and on disk. */
export class FollowerMemory {
  private latest: LedgerProgress
  /** Times of the transactions in the window, by transaction. */
  private readonly taken = new Map<string, number>()
  private readonly aside = new Map<string, SetAside>()
  private readonly reasons = new Map<string, AsideReason>()
  private hasWarned = false

  constructor(
    memory: LedgerMemory,
    private readonly options: FollowerMemoryOptions,
  ) {
    this.latest = memory.progress
    for (const { umid, timestampMs } of memory.taken) this.taken.set(umid, timestampMs)
    // The time since the last run is unknown, so all are due at once.
    for (const one of memory.setAside) this.aside.set(one.umid, { ...one, dueMs: 0 })
  }

  get progress(): LedgerProgress {
    return this.latest
  }

  get setAside(): readonly SetAside[] {
    return [...this.aside.values()]
  }

  asideCounts(): AsideCounts {
    const counts = { missing: 0, failed: 0, undecided: 0, unasked: 0 }
    for (const umid of this.aside.keys()) counts[this.reasons.get(umid) ?? 'unasked'] += 1
    return counts
  }

  /** Attempts at a transaction that is set aside; null when it is not. */
  attemptsOf(umid: string): number | null {
    return this.aside.get(umid)?.attempts ?? null
  }

  /** Whether a transaction was taken recently, or is set aside. */
  isKnown(umid: string): boolean {
    return this.taken.has(umid) || this.aside.has(umid)
  }

  /** Stores the result; it is on disk when this resolves. */
  async note({ taken = [], setAside = [], settled = [], comparingMs }: Noted): Promise<void> {
    const { ledger, clock } = this.options
    const progress = this.progressAfter(taken)
    const crowded = this.crowdedOut(setAside)
    const step: LedgerStep = {
      progress: {
        ...progress,
        ...(comparingMs === undefined ? {} : { comparingMs }),
        ...(comparingMs === null ? { comparedAtMs: clock.now() } : {}),
      },
      taken: taken.filter(({ timestampMs }) => timestampMs >= progress.windowMs),
      setAside,
      settled: [...settled, ...crowded],
    }
    await ledger.saveStep(step)
    this.remember(step)
    for (const { umid, reason } of setAside) this.reasons.set(umid, reason)
  }

  /**
   * The window ends at the newest transaction, but not in the future: one node with a fast clock must not move it past
   * the times of the others.
   */
  private progressAfter(taken: readonly ListedTransaction[]): LedgerProgress {
    const { overlapMs, clock } = this.options
    let { newestMs, windowMs } = this.latest
    for (const { timestampMs } of taken) newestMs = Math.max(newestMs, timestampMs)
    const beginsMs = Math.min(newestMs, clock.now()) - overlapMs
    if (beginsMs - windowMs >= overlapMs / WINDOW_STEPS) windowMs = beginsMs
    if (this.taken.size + taken.length > TAKEN_MAX) windowMs = Math.max(windowMs, this.cutShort(taken.length))
    return { ...this.latest, newestMs, windowMs }
  }

  /** The time from which on there is room for `more`, with a margin. */
  private cutShort(more: number): number {
    if (!this.hasWarned) {
      this.hasWarned = true
      this.options.log.warn({ limit: TAKEN_MAX }, 'more transactions than are remembered: the overlap is cut short')
    }
    const times = [...this.taken.values()].sort((a, b) => a - b)
    const dropped = Math.min(times.length - 1, Math.floor(TAKEN_MAX / WINDOW_STEPS) + more)
    return (times[dropped] ?? 0) + 1
  }

  private crowdedOut(setAside: readonly SetAside[]): readonly string[] {
    const added = setAside.filter(({ umid }) => !this.aside.has(umid)).length
    const excess = this.aside.size + added - SET_ASIDE_MAX
    if (excess <= 0) return []
    const oldest = this.setAside.toSorted((a, b) => b.attempts - a.attempts).slice(0, excess)
    const umids = oldest.map(({ umid }) => umid)
    this.options.log.error({ umids: umids.length, limit: SET_ASIDE_MAX }, 'transactions are not asked for any more')
    return umids
  }

  private remember({ progress, taken, setAside, settled }: LedgerStep): void {
    const hasMoved = progress.windowMs > this.latest.windowMs
    this.latest = progress
    for (const { umid, timestampMs } of taken) this.taken.set(umid, timestampMs)
    for (const umid of settled) this.aside.delete(umid)
    for (const umid of settled) this.reasons.delete(umid)
    for (const one of setAside) this.aside.set(one.umid, one)
    if (!hasMoved) return
    for (const [umid, timestampMs] of this.taken) if (timestampMs < progress.windowMs) this.taken.delete(umid)
  }
}
