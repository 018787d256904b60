import type { KeyHistory } from '../domain/key-history.js'
import type { EventOutcome, LedgerFact, UnreadableFact } from '../domain/ledger-fact.js'
import type { LedgerMemory, LedgerStep } from '../domain/ledger-progress.js'
import type { Settled } from './commands.js'
import type { Awaitable } from './reading.js'

/** A fact of the ledger and the id of the event that reported it; null when the fact identifies itself. */
export interface LedgerEvent {
  readonly eventId: string | null
  readonly fact: LedgerFact | UnreadableFact
}

/** Transactions that one step of a follower forgets at most; the rest follow with the next ones. */
export const FORGOTTEN_MAX = 10_000

/** Facts of the ledger about identities and wallets, and the memory of a follower of the ledger. */
export interface LedgerPort {
  /**
   * Applies facts in order. An event id that was answered before is not applied again: it is a duplicate, or rejected as
   * it was then. An assignment that the ledger dates before the latest one of the wallet is a duplicate.
   */
  applyFacts(batch: readonly LedgerEvent[]): Promise<readonly Settled<EventOutcome>[]>
  /** What a follower of the ledger remembers; undefined when the ledger was never followed. */
  memory(): Awaitable<LedgerMemory | undefined>
  /** What a follower remembers of the keys of an identity; undefined while they were not replaced. */
  keyHistory(identity: string): Awaitable<KeyHistory | undefined>
  saveKeyHistory(identity: string, history: KeyHistory): Promise<void>
  /** Saves a step of a follower. Transactions before the window of its progress are forgotten. */
  saveStep(step: LedgerStep): Promise<void>
  /** Forgets up to `limit` ids of events that were answered before `timeMs`, Unix ms, oldest first. Answers how many. */
  removeEventsBefore(timeMs: number, limit: number): Promise<number>
}
