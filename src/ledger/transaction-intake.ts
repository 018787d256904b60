import type { IncomingEvent } from '../actors/intake.js'
import type { Clock } from '../clock.js'
import type { EventOutcome } from '../domain/ledger-fact.js'
import type { ListedTransaction, SetAside } from '../domain/ledger-progress.js'
import type { Logger } from '../log.js'
import type { FollowerMemory } from './follower-memory.js'
import type { FollowerRecord } from './follower-state.js'
import type { ApplyEvents } from './gateway-events.js'
import { ledgerEventId } from './ledger-transaction.js'
import { type LookUpParts, type LookUpResult, lookUpAll, type Told } from './transaction-lookup.js'

/** After these attempts a transaction that no node returns counts as a problem: about a minute with the usual pause. */
export const ATTEMPTS_OF_A_MOMENT = 6
/** The longest pause before a transaction that is set aside is retried. */
export const ASK_AGAIN_MAX_MS = 600_000
/** Contracts of a followed namespace that are logged, once each. */
const NEIGHBOURS_MAX = 1000

export interface TransactionIntakeOptions extends LookUpParts {
  /** The intake: the same way in that a gateway's push takes. */
  readonly apply: ApplyEvents
  readonly memory: FollowerMemory
  readonly record: FollowerRecord
  /** Pause between two polls, and before the second attempt at a look-up; it grows with each further failure. */
  readonly pollMs: number
  readonly clock: Clock
  readonly log: Logger
  readonly isStopped: () => boolean
}

/** Why transactions are taken: they were listed, are retried, or are compared. */
export type Occasion = 'listed' | 'retried' | 'compared'

/** The result of taking some transactions: all were dealt with, or nodes failed and why. */
export type Taken =
  | { readonly kind: 'done'; readonly applied: number }
  | { readonly kind: 'failed'; readonly why: string }

/** A transaction that a node returned, and what it says. */
interface ToldTransaction {
  readonly row: ListedTransaction
  readonly result: Told
}

/**
 * Looks transactions up and reports their facts: look up → verify → facts → intake → durable → noted → durable. A crash
 * between the two durable steps repeats facts, which are then duplicates by their event ids.
 *
 * A transaction that no node returns is set aside and delays no other. Facts may then be reported in another order,
 * which is harmless: the ledger's dates decide between two assignments of a wallet.
 */
export class TransactionIntake {
  /** Unfollowed contracts of a followed namespace that have been logged. */
  private readonly neighbours = new Set<string>()

  constructor(private readonly options: TransactionIntakeOptions) {}

  async take(rows: readonly ListedTransaction[], occasion: Occasion): Promise<Taken> {
    const { apply, memory, record, isStopped } = this.options
    const results = await lookUpAll(rows, this.options, isStopped)
    const told = rows.flatMap((row, i) => {
      const result = results[i]
      return result !== undefined && isTold(result) ? [{ row, result }] : []
    })
    const failure = failureIn(results)
    // Retries of set-aside transactions become less and less frequent, also while nodes fail.
    const isSomeNodeWell = occasion === 'retried' || results.some((one) => isTold(one) || one.kind === 'missing')
    if (failure !== null && !isSomeNodeWell) return { kind: 'failed', why: failure }
    const events = told.flatMap(eventOf)
    const outcomes = events.length === 0 ? [] : await apply(events)
    if (outcomes.length !== events.length) throw new Error('the intake answered another number of events')
    const setAside = rows.flatMap((row, i) => this.asideOf(row, results[i]))
    const taken = told.map(({ row }) => row)
    await memory.note(
      occasion === 'retried'
        ? { setAside, settled: taken.map(({ umid }) => umid) }
        : { setAside, taken: [...taken, ...setAside] },
    )
    record.took(occasion, taken, outcomes)
    // A malformed transaction in a comparison was logged when it was listed.
    if (occasion !== 'compared') for (const one of told) this.logNoFact(one)
    this.logOutcomes(occasion, events, outcomes)
    this.logSetAside(setAside)
    const applied = outcomes.filter(({ status }) => status === 'applied').length
    return failure === null ? { kind: 'done', applied } : { kind: 'failed', why: failure }
  }

  private asideOf(row: ListedTransaction, result: LookUpResult | undefined): readonly SetAside[] {
    if (result === undefined || (result.kind !== 'missing' && result.kind !== 'unclear')) return []
    const { pollMs, clock, memory } = this.options
    const attempts = (memory.attemptsOf(row.umid) ?? 0) + 1
    const pauseMs = Math.min(ASK_AGAIN_MAX_MS, pollMs * 2 ** Math.min(attempts - 1, 30))
    const { umid, timestampMs } = row
    return [{ umid, timestampMs, attempts, dueMs: clock.now() + pauseMs }]
  }

  private logNoFact({ row, result }: ToldTransaction): void {
    const { record, log } = this.options
    if (result.kind === 'neighbour') this.logNeighbour(result.contract)
    if (result.kind !== 'malformed') return
    record.recorded.malformed += 1
    // An error, because a fact may be missing now.
    log.error({ umid: row.umid, flaw: result.flaw }, 'a transaction of the ledger was skipped')
  }

  /**
   * Logged once. An operator may have followed a label of this contract by mistake, and would lose its assignments
   * silently.
   */
  private logNeighbour(contract: string): void {
    if (this.neighbours.has(contract) || this.neighbours.size >= NEIGHBOURS_MAX) return
    this.neighbours.add(contract)
    this.options.log.warn({ contract }, 'a contract of a followed namespace is not followed')
  }

  private logOutcomes(occasion: Occasion, events: readonly IncomingEvent[], outcomes: readonly EventOutcome[]): void {
    for (const [i, outcome] of outcomes.entries()) {
      const event = events[i]
      if (outcome.status === 'rejected' && occasion !== 'compared') {
        this.options.log.error({ event, flaw: outcome.error }, 'a fact of the ledger was rejected')
      }
      if (outcome.status === 'applied' && occasion === 'compared') {
        this.options.log.warn({ event }, 'a fact of the ledger had been missed')
      }
    }
  }

  private logSetAside(setAside: readonly SetAside[]): void {
    for (const { umid, attempts } of setAside) {
      if (attempts !== ATTEMPTS_OF_A_MOMENT) continue
      this.options.log.error({ umid }, 'a listed transaction is told by no node and is set aside')
    }
  }
}

function isTold(result: LookUpResult): result is Told {
  return result.kind !== 'missing' && result.kind !== 'unclear' && result.kind !== 'unasked'
}

function failureIn(results: readonly LookUpResult[]): string | null {
  for (const one of results) if (one.kind === 'unclear') return one.why
  return results.some(({ kind }) => kind === 'unasked') ? 'the follower was stopped' : null
}

function eventOf({ row, result }: ToldTransaction): readonly IncomingEvent[] {
  return result.kind === 'fact' ? [{ eventId: ledgerEventId(row.umid), fact: result.fact }] : []
}
