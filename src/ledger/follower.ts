import type { IncomingEvent } from '../actors/intake.js'
import type { Clock } from '../clock.js'
import { advance, type CommittedAt, type LedgerCursor, notTaken } from '../domain/ledger-cursor.js'
import type { EventOutcome } from '../domain/ledger-fact.js'
import type { Logger } from '../log.js'
import type { Cancel, Scheduler } from '../scheduler.js'
import type { Store } from '../store/store.js'
import { ledgerEventId } from './facts-of-transaction.js'
import type { FollowedContracts } from './followed-contracts.js'
import { FollowerRecord, type FollowerState } from './follower-state.js'
import type { ApplyEvents } from './gateway-events.js'
import type { LedgerSource } from './ledger-source.js'
import { lookUpAll, type Told } from './transaction-lookup.js'

/** New transactions in one look; a page also holds those of the last millisecond that were taken before. */
export const PAGE_ROWS = 500
/** Rows in one page at the most, which bounds the memory for it. */
export const PAGE_ROWS_MAX = 100_000
/** Contracts of a followed namespace that are named in the log, once each; further ones are not. */
const NEIGHBOURS_MAX = 1000
/** The longest pause after failures. */
export const BACKOFF_MAX_MS = 60_000

export interface FollowerOptions {
  readonly source: LedgerSource
  readonly followed: FollowedContracts
  /** What is followed, and where, as a text that changes with either: a cursor of another one is not continued. */
  readonly origin: string
  /** Where to begin without a cursor, Unix milliseconds on the ledger's clock. */
  readonly fromMs: number
  /** Between two looks when there is nothing more; also the first pause after a failure. */
  readonly pollMs: number
  readonly store: Pick<Store, 'ledgerCursor' | 'saveLedgerCursor'>
  /** The intake: the same way in that a push of the gateway takes. */
  readonly apply: ApplyEvents
  readonly clock: Clock
  readonly scheduler: Scheduler
  /** From 0 to below 1, evenly. */
  readonly random: () => number
  readonly log: Logger
}

/** How a look ended: `more` may be there at once, nothing more is, or it has to be tried again, and why. */
type LookEnd = 'more' | 'caught-up' | Failure

interface Failure {
  readonly failure: string
  readonly waitingFor: string | null
}

/**
 * Reads what the ledger has committed, in order, and tells the service the onboardings and assignments in it.
 *
 * ```
 *  rows from the cursor's time on → look up what was not taken → facts → intake → durable → cursor → durable
 *        ▲                                                                                    │
 *        └── at once while pages are full · after a pause · after a longer one on failure ◄───┘
 * ```
 *
 * A crash between the two durable steps repeats facts, which their event ids make duplicates. A transaction that cannot
 * be looked up holds up those behind it: nothing is ever skipped but what is known not to be a fact.
 */
export class LedgerFollower {
  private readonly record: FollowerRecord
  private cursor: LedgerCursor | null = null
  private failuresInARow = 0
  /** The failure that was logged last, until all is well again. */
  private complaint: string | null = null
  private hasCaughtUp = false
  /** Contracts that are not followed although their namespace is, and of which the log has told. */
  private readonly neighbours = new Set<string>()
  private isStopped = false
  private endPause: (() => void) | null = null
  private running: Promise<void> = Promise.resolve()

  constructor(private readonly options: FollowerOptions) {
    this.record = new FollowerRecord(options.clock)
  }

  start(): void {
    this.running = this.run()
  }

  /** Breaks off what is under way and resolves when nothing is; the store and the intake must work until then. */
  async stop(): Promise<void> {
    this.isStopped = true
    this.endPause?.()
    await this.options.source.close()
    await this.running
  }

  state(): FollowerState {
    return this.record.state()
  }

  private async run(): Promise<void> {
    while (!this.isStopped) {
      const beganAtMs = this.options.clock.now()
      const end = await this.lookSafely()
      if (this.isStopped) return
      const pauseMs = this.pauseAfter(end, beganAtMs)
      if (pauseMs > 0) await this.pause(pauseMs)
    }
  }

  private pauseAfter(end: LookEnd, beganAtMs: number): number {
    const { record } = this
    if (typeof end === 'object') {
      this.failuresInARow += 1
      record.failures += 1
      this.complain(end)
      record.failure = end.failure
      record.waitingFor = end.waitingFor
      return this.backoffMs()
    }
    if (this.complaint !== null) this.options.log.info('the ledger is followed again')
    this.complaint = null
    this.failuresInARow = 0
    record.failure = null
    record.waitingFor = null
    if (end === 'more') return 0
    if (!this.hasCaughtUp) {
      this.hasCaughtUp = true
      this.options.log.info({ transactions: record.state().transactions }, 'caught up with the ledger')
    }
    record.caughtUp(beganAtMs)
    return this.options.pollMs
  }

  /** Once for each reason. A transaction that is listed a moment before it can be looked up is nothing unusual. */
  private complain({ failure, waitingFor }: Failure): void {
    const isUsual = waitingFor !== null && this.failuresInARow === 1
    if (isUsual || failure === this.complaint) return
    this.complaint = failure
    this.options.log.warn({ why: failure }, 'the ledger cannot be followed')
  }

  /** Exponential, with a cap, and of it between a half and all, so that not every service asks at once. */
  private backoffMs(): number {
    const { pollMs, random } = this.options
    const longestMs = Math.max(pollMs, BACKOFF_MAX_MS)
    const backoffMs = Math.min(longestMs, pollMs * 2 ** Math.min(this.failuresInARow - 1, 30))
    return Math.ceil(backoffMs * (0.5 + random() / 2))
  }

  private pause(delayMs: number): Promise<void> {
    return new Promise((resolve) => {
      const cancel: Cancel = this.options.scheduler.after(delayMs, resolve)
      this.endPause = () => {
        cancel()
        resolve()
      }
    })
  }

  private async lookSafely(): Promise<LookEnd> {
    try {
      return await this.look()
    } catch (error) {
      // The store or a mailbox refused. What was told already is told again later.
      this.options.log.debug({ err: error }, 'a look at the ledger failed')
      return failed(error instanceof Error ? error.message : String(error))
    }
  }

  private async look(): Promise<LookEnd> {
    this.cursor ??= await this.resume()
    const { cursor } = this
    // The page begins with the last millisecond, so it must have room for what was taken of it.
    const limit = cursor.umids.length + PAGE_ROWS
    if (limit > PAGE_ROWS_MAX) return failed(`more than ${PAGE_ROWS_MAX} transactions in one millisecond`)
    const listing = await this.options.source.umids(cursor.timestampMs, limit)
    if (listing.kind === 'unclear') return failed(`the listing: ${listing.why}`)
    const rows = notTaken(cursor, listing.rows)
    const isFull = listing.rows.length >= limit
    if (rows.length === 0) return isFull ? failed('a full page without a new transaction') : 'caught-up'
    const end = await this.take(cursor, rows)
    if (end !== null) return end
    return isFull ? 'more' : 'caught-up'
  }

  private async resume(): Promise<LedgerCursor> {
    const { store, origin, fromMs, log } = this.options
    const kept = await store.ledgerCursor()
    const cursor = kept?.origin === origin ? kept : { origin, timestampMs: fromMs, umids: [] }
    log.info({ fromMs: cursor.timestampMs, isResumed: cursor === kept }, 'following the ledger')
    this.record.resumed(cursor)
    return cursor
  }

  /** Takes rows as far as they can be looked up. Null when that was all of them. */
  private async take(cursor: LedgerCursor, rows: readonly CommittedAt[]): Promise<LookEnd | null> {
    const { source, followed, apply, store } = this.options
    const umids = rows.map(({ umid }) => umid)
    const { told, held } = await lookUpAll(umids, source, followed, () => this.isStopped)
    const taken = rows.slice(0, told.length)
    if (taken.length > 0) {
      const events = eventsOf(taken, told)
      const outcomes = events.length === 0 ? [] : await apply(events)
      if (outcomes.length !== events.length) throw new Error('the intake answered another number of events')
      const next = advance(cursor, taken)
      await store.saveLedgerCursor(next)
      this.cursor = next
      this.failuresInARow = 0
      this.record.took(taken, outcomes)
      this.tellSkipped(taken, told)
      this.tellRejected(events, outcomes)
    }
    if (held === null) return null
    const waitingFor = umids[told.length] ?? null
    return { failure: `transaction ${waitingFor}: ${held.why}`, waitingFor }
  }

  /** Loud, because a fact may be missing now. */
  private tellSkipped(taken: readonly CommittedAt[], told: readonly Told[]): void {
    for (const [i, one] of told.entries()) {
      if (one.kind === 'neighbour') this.tellNeighbour(one.contract)
      if (one.kind !== 'skipped') continue
      this.record.malformed += 1
      this.options.log.error({ umid: taken[i]?.umid, flaw: one.flaw }, 'a transaction of the ledger was skipped')
    }
  }

  /** Once: a label of a followed contract would be such a one, and its assignments be lost without a word. */
  private tellNeighbour(contract: string): void {
    if (this.neighbours.has(contract) || this.neighbours.size >= NEIGHBOURS_MAX) return
    this.neighbours.add(contract)
    this.options.log.warn({ contract }, 'a contract of a followed namespace is not followed')
  }

  private tellRejected(events: readonly IncomingEvent[], outcomes: readonly EventOutcome[]): void {
    for (const [i, outcome] of outcomes.entries()) {
      if (outcome.status !== 'rejected') continue
      this.options.log.error({ event: events[i], flaw: outcome.error }, 'a fact of the ledger was rejected')
    }
  }
}

function failed(failure: string): LookEnd {
  return { failure, waitingFor: null }
}

function eventsOf(taken: readonly CommittedAt[], told: readonly Told[]): readonly IncomingEvent[] {
  return taken.flatMap(({ umid }, i) => {
    const one = told[i]
    return one?.kind === 'fact' ? [{ eventId: ledgerEventId(umid), fact: one.fact }] : []
  })
}
