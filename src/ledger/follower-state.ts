import type { Clock } from '../clock.js'
import type { EventOutcome } from '../domain/ledger-fact.js'
import type { LedgerProgress, ListedTransaction } from '../domain/ledger-progress.js'
import type { AsideCounts } from './follower-memory.js'

/** Why transactions are taken: they were listed, are retried, or are compared. */
export type Occasion = 'listed' | 'retried' | 'compared'

/** The state of a follower, for metrics and health. Counts are since the start of the process. */
export interface FollowerState {
  /** The latest transaction taken since the start; null before the first. */
  readonly lastUmid: string | null
  /** The latest time of a taken transaction, over all runs, on the ledger's clock; null before the first. */
  readonly lastTimestampMs: number | null
  /**
   * How long ago the service knew everything that the stores list: milliseconds since the beginning of the last poll
   * that found nothing more, or since the last transaction taken while there are more. When the ledger was never read,
   * since the follower has tried.
   */
  readonly lagMs: number
  readonly wasRead: boolean
  /** Transactions taken, of any contract. */
  readonly transactions: number
  /** Facts by outcome. */
  readonly facts: Readonly<Record<EventOutcome['status'], number>>
  /** Skipped transactions of followed contracts: malformed, or not signed. */
  readonly malformed: number
  /** Failed polls. */
  readonly failures: number
  /** Polls that have failed since the last one that did not. */
  readonly failuresInARow: number
  /** Why the last poll failed; null when it succeeded. */
  readonly failure: string | null
  /** Listed transactions that could not be read, from the first attempt on. */
  readonly setAside: AsideCounts
  /** Wallets that transactions have taken from the pool without being believed. */
  readonly withdrawn: number
  /** Facts found only by a comparison. */
  readonly missed: number
  /** The number of stores, and of those that did not answer the last time. */
  readonly stores: number
  readonly silentStores: number
  /** The number of read APIs, and of those that did not answer the last time. */
  readonly readApis: number
  readonly silentReadApis: number
  /** When everything was last compared, Unix milliseconds; null when it never was. */
  readonly comparedAtMs: number | null
}

/** The part of the state that only the follower itself knows, and that it adds. */
type Added = Pick<FollowerState, 'setAside' | 'stores' | 'readApis' | 'comparedAtMs'>
type Recorded = Omit<FollowerState, keyof Added | 'lagMs' | 'wasRead' | 'facts'>

/** Collects a follower's state. */
export class FollowerRecord {
  readonly recorded: { -readonly [Field in keyof Recorded]: Recorded[Field] } = {
    lastUmid: null,
    lastTimestampMs: null,
    transactions: 0,
    malformed: 0,
    failures: 0,
    failuresInARow: 0,
    failure: null,
    missed: 0,
    withdrawn: 0,
    silentStores: 0,
    silentReadApis: 0,
  }
  private readonly facts: Record<EventOutcome['status'], number> = { applied: 0, duplicate: 0, rejected: 0 }
  private knownUntilMs: number | null = null
  private readonly begunAtMs: number

  constructor(private readonly clock: Clock) {
    this.begunAtMs = clock.now()
  }

  resumed({ newestMs }: LedgerProgress): void {
    this.recorded.lastTimestampMs = newestMs
    this.knownUntilMs = newestMs
  }

  took(occasion: Occasion, rows: readonly ListedTransaction[], outcomes: readonly EventOutcome[]): void {
    const { recorded } = this
    for (const { status } of outcomes) this.facts[status] += 1
    if (occasion === 'compared') {
      recorded.missed += outcomes.filter(({ status }) => status === 'applied').length
      return
    }
    recorded.transactions += rows.length
    for (const { umid, timestampMs } of rows) {
      if (timestampMs < (recorded.lastTimestampMs ?? 0)) continue
      recorded.lastUmid = umid
      recorded.lastTimestampMs = timestampMs
    }
    if (rows.length === 0 || recorded.lastTimestampMs === null) return
    this.knownUntilMs = Math.max(this.knownUntilMs ?? 0, Math.min(recorded.lastTimestampMs, this.clock.now()))
  }

  /** A poll that began at this time found nothing more. */
  caughtUp(beganAtMs: number): void {
    this.knownUntilMs = beganAtMs
  }

  state(added: Added): FollowerState {
    const { recorded, facts, knownUntilMs } = this
    const lagMs = Math.max(0, this.clock.now() - (knownUntilMs ?? this.begunAtMs))
    return { ...added, ...recorded, facts: { ...facts }, lagMs, wasRead: knownUntilMs !== null }
  }
}
