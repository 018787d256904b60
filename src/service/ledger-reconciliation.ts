import { Intake } from '../actors/intake.js'
import { WalletDirectory } from '../actors/wallet-directory.js'
import type { Clock } from '../clock.js'
import type { Settings } from '../config.js'
import { noble } from '../crypto/noble.js'
import { LedgerComparison } from '../ledger/comparison.js'
import { FollowerMemory } from '../ledger/follower-memory.js'
import { FollowerRecord } from '../ledger/follower-state.js'
import { TransactionIntake } from '../ledger/transaction-intake.js'
import type { Logger } from '../log.js'
import { pause, wakefulScheduler } from '../scheduler.js'
import { StartError } from '../start-error.js'
import type { Store } from '../store/store.js'
import { type Following, followingOf } from './ledger.js'
import { openUnusedStore } from './open-store.js'
import { Shutdown } from './shutdown.js'
import { tokenDecimalsOf } from './tokens.js'

/** Steps in a row that may fail before the comparison is given up. */
const FAILURES_MAX = 5

export interface LedgerReconciliationParts {
  readonly settings: Settings
  /** Gets a line for each missed fact. */
  readonly log: Logger
  readonly clock: Clock
  /** Ends the work between two steps. */
  readonly stop: AbortSignal
}

/** The result of a comparison with the ledger. */
export interface LedgerReconciled {
  /** Transactions compared. */
  readonly transactions: number
  /** Facts that were missed, and are applied now. */
  readonly missed: number
  /** Why the end was not reached; null when it was. */
  readonly failure: string | null
}

/** A ledger and a store that no other process uses, ready to be compared. */
export interface LedgerReconciliation {
  /** Compares from the beginning. No webhooks result: facts of the ledger owe none. */
  run(onProgress: (transactions: number) => void): Promise<LedgerReconciled>
  close(): Promise<void>
}

/**
 * Opens the data directory and the ledger that the settings follow. Throws `StartError` when the directory is in use, was
 * never used, or has not followed this ledger.
 */
export async function openLedgerReconciliation(parts: LedgerReconciliationParts): Promise<LedgerReconciliation> {
  const { settings, clock } = parts
  const tokenDecimals = tokenDecimalsOf(settings)
  const following = followingOf(settings)
  if (following === null) throw new StartError('no ledger is followed: BILLHOOK_LEDGER_STORE_URL is not set')
  const shutdown = new Shutdown()
  shutdown.add('ledger', () => following.source.close())
  try {
    const store = await openUnusedStore(settings, clock, tokenDecimals, shutdown)
    const comparison = await comparisonOf(parts, store, following)
    return {
      run: (onProgress) => runAll(comparison, following, parts.stop, onProgress),
      close: () => shutdown.endAll(),
    }
  } catch (error) {
    await shutdown.endAll()
    throw error
  }
}

async function comparisonOf(
  { clock, log, stop }: LedgerReconciliationParts,
  store: Store,
  following: Following,
): Promise<LedgerComparison> {
  const kept = await store.ledger.memory()
  if (kept?.progress.origin !== following.origin) {
    throw new StartError('the data directory has not followed this ledger yet: start the service')
  }
  const facts = new Intake(store.ledger, new WalletDirectory(store), () => {})
  const memory = new FollowerMemory(kept, { ledger: store.ledger, overlapMs: following.overlapMs, clock, log })
  const intake = new TransactionIntake({
    ...following,
    apply: (events) => facts.apply(events),
    engine: noble,
    memory,
    record: new FollowerRecord(clock),
    clock,
    log,
    isStopped: () => stop.aborted,
  })
  const comparison = new LedgerComparison({ ...following, memory, intake })
  await comparison.beginAt(following.fromMs)
  return comparison
}

async function runAll(
  comparison: LedgerComparison,
  { pollMs }: Following,
  stop: AbortSignal,
  onProgress: (transactions: number) => void,
): Promise<LedgerReconciled> {
  let failures = 0
  while (!stop.aborted) {
    const end = await comparison.step()
    onProgress(comparison.counts.transactions)
    if (end === 'done') return { ...comparison.counts, failure: null }
    failures = end === 'more' ? 0 : failures + 1
    if (typeof end === 'object') {
      if (failures >= FAILURES_MAX) return { ...comparison.counts, failure: end.failure }
      await pause(wakefulScheduler, pollMs * failures, stop)
    }
  }
  return { ...comparison.counts, failure: 'it was stopped' }
}
