import { backOffMs } from '../base/back-off.js'
import {
  advance,
  type LedgerMemory,
  type ListedTransaction,
  type ListingPosition,
  notRead,
} from '../domain/ledger-progress.js'
import { pause, type Scheduler } from '../scheduler.js'
import type { LedgerPort } from '../store/ledger.js'
import { LedgerComparison } from './comparison.js'
import { FollowerMemory, type FollowerMemoryOptions } from './follower-memory.js'
import { FollowerRecord, type FollowerState } from './follower-state.js'
import type { LedgerSource } from './ledger-nodes.js'
import { type FreeWallets, PoolCheck, SECOND_LOOK_MS } from './pool-check.js'
import type { SilentNode } from './read-apis.js'
import { SilentNodes } from './silent-nodes.js'
import { TransactionIntake, type TransactionIntakeOptions } from './transaction-intake.js'

/** Rows listed in one query, beside those of its first millisecond that were read before. */
export const LISTED_ROWS = 5000
/** Maximum rows of one listing, which bounds its memory. */
export const LISTED_ROWS_MAX = 100_000
/** Transactions looked up and noted in one step. */
const TAKEN_ROWS = 500
/** Set-aside transactions retried after one poll. */
const RETRIED_MAX = 64
/** Most polls read only this far behind the newest transaction; one poll in this time reads the whole overlap. */
export const SHORT_POLL_MS = 15_000
/** From the end of a comparison with the whole ledger to the beginning of the next. */
export const COMPARISON_PAUSE_MS = 24 * 60 * 60 * 1000
/** The longest pause after failures. What was committed while all stores were away is known within a minute after that. */
export const BACKOFF_MAX_MS = 15_000

export interface FollowerOptions
  extends Omit<TransactionIntakeOptions, 'source' | 'memory' | 'record' | 'isStopped'>,
    Pick<FollowerMemoryOptions, 'overlapMs'> {
  readonly source: LedgerSource
  /** Names the followed contracts and stores: stored progress under another name is not continued. */
  readonly origin: string
  /** Where to begin without progress, Unix milliseconds on the ledger's clock. */
  readonly fromMs: number
  readonly ledger: Pick<LedgerPort, 'memory' | 'saveStep' | 'keyHistory' | 'saveKeyHistory'>
  readonly pool: FreeWallets
  readonly scheduler: Scheduler
  /** From 0 to below 1, evenly. */
  readonly random: () => number
}

/** How a poll ended: `more` may be there at once, nothing more is, or it failed and why. */
type PollEnd = 'more' | 'caught-up' | { readonly failure: string }

/** The parts that share one memory. */
interface Parts {
  readonly memory: FollowerMemory
  readonly intake: TransactionIntake
  readonly comparison: LedgerComparison
  readonly poolCheck: PoolCheck
}

/**
 * Reads the ledger's committed transactions and reports the onboardings and assignments among them.
 *
 * ```
 *  rows behind the newest one on, and what came late before it → what is not known yet → intake
 *        ▲                                                                                │
 *        │        what was set aside, if it is due → intake                               │
 *        │        a step of the comparison with everything, if one is due → intake        │
 *        │        a step of the round through the pool, if one is due                     │
 *        └── at once while pages are full · after a pause · after a longer one on failure ◄┘
 * ```
 *
 * A listing is in order of arrival, but a transaction appears in it only once it is committed, possibly behind others
 * that were read already. So the overlap is read again, and known transactions are skipped.
 */
export class LedgerFollower {
  private readonly record: FollowerRecord
  private parts: Parts | null = null
  /** The present position in the listing; null between two polls. */
  private position: ListingPosition | null = null
  private wholeOverlapReadAtMs = Number.NEGATIVE_INFINITY
  /** The failure that was logged last; null after a success. */
  private complaint: string | null = null
  private readonly silentStores: SilentNodes
  private readonly silentReadApis: SilentNodes
  private hasCaughtUp = false
  private readonly stopping = new AbortController()
  private running: Promise<void> = Promise.resolve()

  constructor(private readonly options: FollowerOptions) {
    this.record = new FollowerRecord(options.clock)
    this.silentStores = new SilentNodes('store', options)
    this.silentReadApis = new SilentNodes('readApi', options)
  }

  start(): void {
    this.running = this.run()
  }

  /** Stops the work in progress, and resolves when there is none. The store and the intake must work until then. */
  async stop(): Promise<void> {
    this.stopping.abort()
    await this.options.source.close()
    await this.running
  }

  state(): FollowerState {
    const memory = this.parts?.memory
    const comparedAtMs = memory?.progress.comparedAtMs ?? 0
    return this.record.state({
      setAside: memory?.asideCounts() ?? { missing: 0, failed: 0, undecided: 0, unasked: 0 },
      stores: this.options.source.stores,
      readApis: this.options.source.readApis,
      comparedAtMs: comparedAtMs === 0 ? null : comparedAtMs,
    })
  }

  private async run(): Promise<void> {
    const { signal } = this.stopping
    while (!signal.aborted) {
      const beganAtMs = this.options.clock.now()
      const end = await this.pollSafely()
      if (signal.aborted) return
      const pauseMs = this.pauseAfter(end, beganAtMs)
      if (pauseMs > 0) await pause(this.options.scheduler, pauseMs, signal)
    }
  }

  private pauseAfter(end: PollEnd, beganAtMs: number): number {
    const { recorded } = this.record
    if (typeof end === 'object') {
      recorded.failuresInARow += 1
      recorded.failures += 1
      // Each reason is logged once.
      if (end.failure !== this.complaint) this.options.log.warn({ why: end.failure }, 'the ledger cannot be followed')
      this.complaint = end.failure
      recorded.failure = end.failure
      const { pollMs, random } = this.options
      return backOffMs(recorded.failuresInARow, { firstMs: pollMs, maxMs: Math.max(pollMs, BACKOFF_MAX_MS), random })
    }
    if (this.complaint !== null) this.options.log.info('the ledger is followed again')
    this.complaint = null
    recorded.failuresInARow = 0
    recorded.failure = null
    if (end === 'more') return 0
    if (!this.hasCaughtUp) {
      this.hasCaughtUp = true
      this.options.log.info({ transactions: this.state().transactions }, 'caught up with the ledger')
    }
    this.record.caughtUp(beganAtMs)
    return this.options.pollMs
  }

  private async pollSafely(): Promise<PollEnd> {
    try {
      this.parts ??= await this.resume()
      const { parts } = this
      const end = await this.poll(parts)
      await this.noteReadApis()
      if (end !== 'caught-up') return end
      await this.retrySetAside(parts)
      await this.compare(parts)
      await this.checkPool(parts)
      return end
    } catch (error) {
      // The store or a mailbox refused. Facts that were reported already are reported again later.
      this.options.log.debug({ err: error }, 'a poll of the ledger failed')
      return { failure: error instanceof Error ? error.message : String(error) }
    }
  }

  /** Reads a page of the listing and takes its new transactions. */
  private async poll(parts: Parts): Promise<PollEnd> {
    const { memory, intake } = parts
    this.position ??= this.beginning(memory)
    const { position } = this
    // The page begins with the last millisecond, so it needs room for the rows of it that were read before.
    const limit = position.umids.length + LISTED_ROWS
    if (limit > LISTED_ROWS_MAX) return { failure: `more than ${LISTED_ROWS_MAX} transactions in one millisecond` }
    const listing = await this.options.source.umids(position.timestampMs, limit)
    await this.noteStores(listing.silent, parts)
    if (listing.kind === 'unclear') return { failure: `the listing: ${listing.why}` }
    const read = notRead(position, listing.rows)
    if (listing.isFull && read.length === 0) return { failure: 'a full page without a new transaction' }
    const failure = await this.takeAll(
      read.filter(({ umid }) => !memory.isKnown(umid)),
      intake,
    )
    if (failure !== null) return failure
    this.position = listing.isFull ? advance(position, read) : null
    return listing.isFull ? 'more' : 'caught-up'
  }

  /** Where a poll begins: a little behind the newest transaction, or now and then at the beginning of the overlap. */
  private beginning({ progress }: FollowerMemory): ListingPosition {
    const nowMs = this.options.clock.now()
    const isWhole = nowMs - this.wholeOverlapReadAtMs >= SHORT_POLL_MS
    if (isWhole) this.wholeOverlapReadAtMs = nowMs
    const shortMs = Math.min(progress.newestMs, nowMs) - SHORT_POLL_MS
    return { timestampMs: isWhole ? progress.windowMs : Math.max(progress.windowMs, shortMs), umids: [] }
  }

  private async takeAll(rows: readonly ListedTransaction[], intake: TransactionIntake): Promise<PollEnd | null> {
    for (let first = 0; first < rows.length; first += TAKEN_ROWS) {
      const taken = await intake.take(rows.slice(first, first + TAKEN_ROWS), 'listed')
      if (taken.kind === 'failed') return { failure: taken.why }
      this.record.recorded.failuresInARow = 0
    }
    return null
  }

  /** The poll before shows that nodes answer, so a failure here is that of single transactions. */
  private async retrySetAside({ memory, intake }: Parts): Promise<void> {
    const nowMs = this.options.clock.now()
    const due = memory.setAside.filter(({ dueMs }) => dueMs <= nowMs).sort((a, b) => a.dueMs - b.dueMs)
    if (due.length > 0) await intake.take(due.slice(0, RETRIED_MAX), 'retried')
  }

  private async compare({ memory, comparison }: Parts): Promise<void> {
    const { comparingMs, comparedAtMs } = memory.progress
    const { clock, log } = this.options
    if (comparingMs === null && clock.now() - comparedAtMs < COMPARISON_PAUSE_MS) return
    const end = await comparison.step()
    if (end === 'done') {
      const { transactions, missed } = comparison.counts
      log.info({ transactions, missed }, 'compared with the whole ledger')
    }
    if (typeof end === 'object') log.debug({ why: end.failure }, 'the comparison with the ledger waits')
  }

  private async checkPool({ poolCheck }: Parts): Promise<void> {
    const end = await poolCheck.step()
    if (typeof end === 'object') this.options.log.debug({ why: end.failure }, 'the round through the pool waits')
  }

  private async resume(): Promise<Parts> {
    const { options, record } = this
    const { ledger, origin, fromMs, overlapMs, clock, log, source } = options
    const kept = await ledger.memory()
    const isResumed = kept?.progress.origin === origin
    const known = isResumed ? kept : freshMemory(origin, fromMs, clock.now())
    log.info({ fromMs: known.progress.newestMs, isResumed }, 'following the ledger')
    if (isResumed) record.resumed(known.progress)
    const memory = new FollowerMemory(known, { ledger, overlapMs, clock, log })
    const isStopped = () => this.stopping.signal.aborted
    const intake = new TransactionIntake({ ...options, memory, record, isStopped })
    const comparison = new LedgerComparison({ source, memory, intake, fromMs, end: 'window' })
    const poolCheck = new PoolCheck({ ...options, record, isStopped, secondLookMs: SECOND_LOOK_MS })
    return { memory, intake, comparison, poolCheck }
  }

  /** What only a silent store listed may lie before the overlap when it is back; a comparison from there finds it. */
  private async noteStores(silent: readonly SilentNode[], { comparison }: Parts): Promise<void> {
    if (this.stopping.signal.aborted) return
    const { overlapMs } = this.options
    for (const { sinceMs, forMs } of this.silentStores.note(silent)) {
      if (forMs > overlapMs / 2) await comparison.beginAt(sinceMs - overlapMs)
    }
    this.record.recorded.silentStores = silent.length
  }

  /** Also while there is nothing to look up: who is away is told before it is needed. */
  private async noteReadApis(): Promise<void> {
    const silent = await this.options.source.silentReadApis()
    if (this.stopping.signal.aborted) return
    this.silentReadApis.note(silent)
    this.record.recorded.silentReadApis = silent.length
  }
}

/** The memory of a new follower. There is nothing to compare, because it reads everything. */
function freshMemory(origin: string, fromMs: number, nowMs: number): LedgerMemory {
  const progress = { origin, newestMs: fromMs, windowMs: fromMs, comparingMs: null, comparedAtMs: nowMs }
  return { progress, taken: [], setAside: [] }
}
