import type { Clock } from '../clock.js'
import type { CommittedAt, LedgerCursor } from '../domain/ledger-cursor.js'
import type { EventOutcome } from '../domain/ledger-fact.js'

/** What a follower tells of itself, for metrics and health. Counts are since the start. */
export interface FollowerState {
  /** The last transaction that was taken, over all runs; null when none was. */
  readonly lastUmid: string | null
  /** Its time on the ledger's clock, Unix milliseconds. */
  readonly lastTimestampMs: number | null
  /**
   * How long ago the service knew everything of the ledger: milliseconds since the beginning of the last look that found
   * nothing more, or since the last transaction that was taken while there are more. Null when the ledger was never read.
   */
  readonly lagMs: number | null
  /** Transactions that were taken, of whatever contract. */
  readonly transactions: number
  /** Facts by how they were taken. */
  readonly facts: Readonly<Record<EventOutcome['status'], number>>
  /** Transactions of followed contracts that were skipped because they have not the shape of a fact. */
  readonly malformed: number
  /** Looks that failed. */
  readonly failures: number
  /** Why the last look failed, in words; null when it ended well. */
  readonly failure: string | null
  /** The transaction that holds up the rest because no node can tell it; null when none does. */
  readonly waitingFor: string | null
}

/** Counts what a follower does. */
export class FollowerRecord {
  malformed = 0
  failures = 0
  failure: string | null = null
  waitingFor: string | null = null
  private transactions = 0
  private knownUntilMs: number | null = null
  private last: CommittedAt | null = null
  private readonly facts: Record<EventOutcome['status'], number> = { applied: 0, duplicate: 0, rejected: 0 }

  constructor(private readonly clock: Clock) {}

  resumed({ timestampMs, umids }: LedgerCursor): void {
    const umid = umids.at(-1)
    if (umid === undefined) return
    this.last = { umid, timestampMs }
    this.knownUntilMs = timestampMs
  }

  took(rows: readonly CommittedAt[], outcomes: readonly EventOutcome[]): void {
    for (const { status } of outcomes) this.facts[status] += 1
    this.transactions += rows.length
    const last = rows.at(-1)
    if (last === undefined) return
    this.last = last
    this.knownUntilMs = Math.max(this.knownUntilMs ?? 0, Math.min(last.timestampMs, this.clock.now()))
  }

  /** A look that began then found nothing more. */
  caughtUp(beganAtMs: number): void {
    this.knownUntilMs = beganAtMs
  }

  state(): FollowerState {
    const { malformed, failures, failure, waitingFor, transactions, knownUntilMs, last } = this
    return {
      lastUmid: last?.umid ?? null,
      lastTimestampMs: last?.timestampMs ?? null,
      lagMs: knownUntilMs === null ? null : Math.max(0, this.clock.now() - knownUntilMs),
      transactions,
      facts: { ...this.facts },
      malformed,
      failures,
      failure,
      waitingFor,
    }
  }
}
