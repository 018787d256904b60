import type { IncomingEvent } from '../actors/intake.js'
import type { Clock } from '../clock.js'
import type { Secp256k1Engine } from '../crypto/secp256k1.js'
import type { EventOutcome, LedgerFact } from '../domain/ledger-fact.js'
import type { AsideReason, ListedTransaction } from '../domain/ledger-progress.js'
import type { Logger } from '../log.js'
import type { LedgerPort } from '../store/ledger.js'
import type { FollowedContracts } from './followed-contracts.js'
import type { AskedInVain, FollowerMemory } from './follower-memory.js'
import type { FollowerRecord, Occasion } from './follower-state.js'
import type { ApplyEvents } from './gateway-events.js'
import type { LedgerSource } from './ledger-nodes.js'
import { isSignedFor } from './ledger-signature.js'
import { ledgerEventId, type NoFact, recognise } from './ledger-transaction.js'
import type { NodeAnswer } from './node-http.js'
import { LookUpBudget, PastAuthorities } from './past-authorities.js'
import { UnbelievedAssignments } from './unbelieved-assignments.js'

/** After these attempts a transaction that no node returns is logged as an error: about a minute with the usual pause. */
const ATTEMPTS_OF_A_MOMENT = 6
/** After these attempts one that cannot be decided is logged: the first may meet nodes that lag behind. */
const ATTEMPTS_OF_UNDECIDED = 3
/** The longest pause before a transaction that is set aside is retried. */
export const ASK_AGAIN_MAX_MS = 600_000
/** Transactions looked up in parallel. */
export const LOOKUPS_MAX = 8
/** Contracts of a followed namespace that are logged, once each. */
const NEIGHBOURS_MAX = 1000

export interface TransactionIntakeOptions {
  readonly source: Pick<LedgerSource, 'transaction' | 'streamOf'>
  readonly ledger: Pick<LedgerPort, 'keyHistory' | 'saveKeyHistory'>
  readonly followed: FollowedContracts
  /** Verifies the signatures in transactions. */
  readonly engine: Secp256k1Engine
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

/** The result of taking some transactions: all were dealt with, or nodes failed and why. `applied`: facts that were new. */
export type Taken =
  | { readonly kind: 'done'; readonly applied: number }
  | { readonly kind: 'failed'; readonly applied: number; readonly why: string }

/** What a transaction says: a fact, or why it is none. */
type Answered = { readonly kind: 'fact'; readonly fact: LedgerFact } | NoFact

/**
 * The result of a look-up. `missing`: no node has what is needed. `unclear`: nodes failed. `unasked`: another look-up
 * failed before. `undecided`: it is not known whether its key was an authority at its time. `unfinished`: that takes more
 * look-ups than one step has.
 */
type LookUpResult =
  | Answered
  | { readonly kind: 'missing' }
  | { readonly kind: 'unfinished' }
  | { readonly kind: 'unasked' }
  | { readonly kind: 'unclear' | 'undecided'; readonly why: string }

const NOT_SIGNED: NoFact = { kind: 'malformed', flaw: 'it is not signed by a key that its identity had then' }

/** A listed transaction and the result of its look-up. */
interface LookedUp<Result extends LookUpResult = LookUpResult> {
  readonly row: ListedTransaction
  result: Result
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
  private readonly authorities: PastAuthorities

  private readonly unbelieved: UnbelievedAssignments

  constructor(private readonly options: TransactionIntakeOptions) {
    const { source, ledger, followed, engine, isStopped } = options
    this.authorities = new PastAuthorities({ source, ledger, contracts: followed.contracts, engine, isStopped })
    this.unbelieved = new UnbelievedAssignments(options)
  }

  async take(rows: readonly ListedTransaction[], occasion: Occasion): Promise<Taken> {
    const { apply, memory, record } = this.options
    const results = await this.lookUpAll(rows)
    await this.unbelieved.apply()
    const answered = results.filter(isAnswered)
    const failure = failureIn(results)
    // Retries of set-aside transactions become less and less frequent, also while nodes fail.
    const isSomeAside = results.some(({ result }) => isAside(result) && result.kind !== 'unclear')
    const isSomeNodeWell = occasion === 'retried' || answered.length > 0 || isSomeAside
    if (failure !== null && !isSomeNodeWell) return { kind: 'failed', applied: 0, why: failure }
    const events = answered.flatMap(eventOf)
    const outcomes = events.length === 0 ? [] : await apply(events)
    if (outcomes.length !== events.length) throw new Error('the intake answered another number of events')
    const setAside = results.flatMap((one) => this.asideOf(one))
    const taken = answered.map(({ row }) => row)
    await memory.note(
      occasion === 'retried'
        ? { setAside, settled: taken.map(({ umid }) => umid) }
        : { setAside, taken: [...taken, ...setAside] },
    )
    record.took(occasion, taken, outcomes)
    // A malformed transaction in a comparison was logged when it was listed.
    if (occasion !== 'compared') for (const one of answered) this.logNoFact(one)
    this.logOutcomes(occasion, events, outcomes)
    this.logSetAside(setAside)
    const applied = outcomes.filter(({ status }) => status === 'applied').length
    return failure === null ? { kind: 'done', applied } : { kind: 'failed', applied, why: failure }
  }

  /**
   * Looks up transactions, a few in parallel: one result for each, in order. The first one that nodes fail to answer
   * ends it, because they would fail the next, too. So does `isStopped`.
   */
  private async lookUpAll(rows: readonly ListedTransaction[]): Promise<readonly LookedUp[]> {
    const results = rows.map((row): LookedUp => ({ row, result: { kind: 'unasked' } }))
    const budget = new LookUpBudget()
    const waiting = results.values()
    let hasFailed = false

    const work = async (): Promise<void> => {
      for (const one of waiting) {
        if (hasFailed || this.options.isStopped()) return
        one.result = await this.lookUp(one.row, budget)
        if (one.result.kind === 'unclear') hasFailed = true
      }
    }

    await Promise.all(Array.from({ length: LOOKUPS_MAX }, work))
    return results
  }

  private async lookUp(row: ListedTransaction, budget: LookUpBudget): Promise<LookUpResult> {
    const answer = await this.options.source.transaction(row.umid)
    if (answer.kind === 'too-long') return { kind: 'malformed', flaw: 'it is too long' }
    if (answer.kind !== 'found') return answer
    const result = await this.judge(row, answer, budget)
    if (result.kind !== 'fact' && !this.isOfAMoment(row, result)) this.unbelieved.observe(row, answer.value)
    return result
  }

  /** Whether the next look may tell more: nodes failed for the first time, or not everything was read. */
  private isOfAMoment({ umid }: ListedTransaction, { kind }: LookUpResult): boolean {
    if (kind === 'unfinished' || kind === 'unasked') return true
    return kind === 'unclear' && this.options.memory.attemptsOf(umid) === null
  }

  private async judge(
    { umid, timestampMs }: ListedTransaction,
    answer: Extract<NodeAnswer, { kind: 'found' }>,
    budget: LookUpBudget,
  ): Promise<LookUpResult> {
    const { followed, engine } = this.options
    const recognition = recognise(answer.value, followed)
    if (recognition.kind !== 'fact') return recognition
    const { fact, signer, publicKey } = recognition
    if (publicKey !== null) {
      return isSignedFor(answer.value, signer, [publicKey], engine) ? { kind: 'fact', fact } : NOT_SIGNED
    }
    const verdict = await this.authorities.judge(signer, { umid, committed: answer.value }, budget)
    switch (verdict.kind) {
      case 'rejected':
        return NOT_SIGNED
      case 'counts':
        break
      default:
        return verdict
    }
    return { kind: 'fact', fact: fact.type === 'wallet.assigned' ? { ...fact, ledgerMs: timestampMs } : fact }
  }

  private asideOf({ row, result }: LookedUp): readonly AskedInVain[] {
    if (!isAside(result)) return []
    const { pollMs, clock, memory } = this.options
    const before = memory.attemptsOf(row.umid) ?? 0
    // One that has got further goes on with the next poll.
    const isUnfinished = result.kind === 'unfinished'
    const attempts = isUnfinished ? Math.max(1, before) : before + 1
    const pauseMs = isUnfinished ? 0 : Math.min(ASK_AGAIN_MAX_MS, pollMs * 2 ** Math.min(attempts - 1, 30))
    if (result.kind === 'undecided' && attempts === ATTEMPTS_OF_UNDECIDED) {
      this.options.log.error({ umid: row.umid, why: result.why }, 'a transaction of the ledger cannot be decided')
    }
    const { umid, timestampMs } = row
    const reason = ASIDE_REASONS[result.kind]
    return [{ umid, timestampMs, attempts, dueMs: clock.now() + pauseMs, reason }]
  }

  private logNoFact({ row, result }: LookedUp<Answered>): void {
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

  private logSetAside(setAside: readonly AskedInVain[]): void {
    for (const { umid, attempts, reason } of setAside) {
      // What cannot be decided was logged with its own reason.
      if (attempts !== ATTEMPTS_OF_A_MOMENT || reason === 'undecided') continue
      this.options.log.error({ umid, reason }, 'no node has a listed transaction; it is set aside')
    }
  }
}

function isAnswered(one: LookedUp): one is LookedUp<Answered> {
  return one.result.kind !== 'unasked' && !isAside(one.result)
}

/** Why a transaction with such a result is set aside, to be retried. */
const ASIDE_REASONS = {
  missing: 'missing',
  unclear: 'failed',
  undecided: 'undecided',
  unfinished: 'undecided',
} as const satisfies Partial<Record<LookUpResult['kind'], AsideReason>>

function isAside(result: LookUpResult): result is Extract<LookUpResult, { kind: keyof typeof ASIDE_REASONS }> {
  return result.kind in ASIDE_REASONS
}

function failureIn(results: readonly LookedUp[]): string | null {
  for (const { result } of results) if (result.kind === 'unclear') return result.why
  return results.some(({ result }) => result.kind === 'unasked') ? 'the follower was stopped' : null
}

function eventOf({ row, result }: LookedUp<Answered>): readonly IncomingEvent[] {
  return result.kind === 'fact' ? [{ eventId: ledgerEventId(row.umid), fact: result.fact }] : []
}
