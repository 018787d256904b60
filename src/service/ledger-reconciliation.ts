import { type IncomingEvent, Intake } from '../actors/intake.js'
import { WalletDirectory } from '../actors/wallet-directory.js'
import type { Settings } from '../config.js'
import { noble } from '../crypto/noble.js'
import type { AuditEnd } from '../domain/audit.js'
import { type ComparedCounts, LedgerComparison } from '../ledger/comparison.js'
import { type AsideCounts, FollowerMemory } from '../ledger/follower-memory.js'
import { FollowerRecord } from '../ledger/follower-state.js'
import { LedgerNodes } from '../ledger/ledger-nodes.js'
import { PoolCheck } from '../ledger/pool-check.js'
import { LOOKUPS_MAX, TransactionIntake } from '../ledger/transaction-intake.js'
import { OperatorError } from '../operator-error.js'
import { pause, wakefulScheduler } from '../scheduler.js'
import type { Store } from '../store/store.js'
import { type Following, followingOf } from './ledger.js'
import { asideTotal } from './ledger-health.js'
import { onUnusedStore, type ReconciliationParts, trailOf } from './reconciliation.js'

/** Steps that may fail in a row before the work is given up. */
const FAILURES_MAX = 5

/** The result of a comparison with the ledger. */
export interface LedgerReconciled extends ComparedCounts {
  /** Facts of transactions that were set aside and could be read now. */
  readonly recovered: number
  /** Wallets that were withdrawn from the pool. */
  readonly withdrawn: number
  /** Transactions that are still set aside. */
  readonly open: AsideCounts
  /** What could not be looked at, one sentence without its end each; empty when the stores were read to their end. */
  readonly unread: readonly string[]
}

type OnProgress = (transactions: number) => void

/** The parts of a comparison that share one memory. */
interface Work {
  readonly comparison: LedgerComparison
  readonly memory: FollowerMemory
  readonly intake: TransactionIntake
  readonly poolCheck: PoolCheck
  readonly record: FollowerRecord
}

/**
 * Opens the data directory and the ledger that the settings follow, to compare all that the stores list with it, and to ask
 * again for what was set aside, and for the wallets of the pool. No webhooks result: facts of the ledger owe none. Throws `OperatorError` when the directory is
 * in use, was never used, or has not followed this ledger.
 */
export function openLedgerReconciliation(parts: ReconciliationParts) {
  return onUnusedStore(parts, async (store, shutdown) => {
    const following = followingOf(parts.settings, noble)
    shutdown.add('ledger', () => following.source.close())
    const work = await workOn(parts, store, following)
    const action = { ...parts.operator, action: 'reconcile.ledger', owner: null, subject: null }
    const reconcile = async (onProgress: OnProgress): Promise<LedgerReconciled> => {
      const empty = await emptyStores(parts.settings)
      const failure = await compareAll(work, following, parts.stop, onProgress)
      const recovered = failure === null ? await askAside(work, parts.stop) : 0
      const unasked = failure === null ? await askForPool(work, following, parts.stop) : null
      const { counts } = work.comparison
      const unread = failure === null ? unlisted(empty, counts.listed) : [`the end was not reached: ${failure}`]
      const unknown = unasked === null ? [] : [`not all wallets of the pool were asked for: ${unasked}`]
      const { withdrawn } = work.record.recorded
      return { ...counts, recovered, withdrawn, open: work.memory.asideCounts(), unread: [...unread, ...unknown] }
    }
    const run = (onProgress: OnProgress) =>
      trailOf(store, parts).followLong(action, () => reconcile(onProgress), endOfReconciled)
    return { run }
  })
}

function endOfReconciled({ missed, recent, recovered, withdrawn, open, unread }: LedgerReconciled): AuditEnd {
  const facts = `facts missed before: ${missed}, newer: ${recent}, of transactions set aside: ${recovered}`
  const detail = `${facts}; wallets withdrawn: ${withdrawn}; still set aside: ${asideTotal(open)}`
  return { outcome: unread.length === 0 ? 'done' : 'failed', detail: [detail, ...unread].join('; ') }
}

async function workOn({ clock, log, stop }: ReconciliationParts, store: Store, following: Following): Promise<Work> {
  const kept = await store.ledger.memory()
  if (kept?.progress.origin !== following.origin) {
    throw new OperatorError('the data directory has not followed this ledger yet: start the service')
  }
  const facts = new Intake(store.ledger, new WalletDirectory(store), () => {})
  const memory = new FollowerMemory(kept, { ledger: store.ledger, overlapMs: following.overlapMs, clock, log })
  const record = new FollowerRecord(clock)
  const apply = (events: readonly IncomingEvent[]) => facts.apply(events)
  const isStopped = () => stop.aborted
  const both = { ...following, apply, record, clock, log, isStopped }
  const intake = new TransactionIntake({ ...both, ledger: store.ledger, engine: noble, memory })
  const comparison = new LedgerComparison({ ...following, memory, intake, end: 'listing' })
  await comparison.beginAt(following.fromMs)
  // Nothing is assigned beside it that is not known: everything was read.
  const pool = { networks: store.networks.present, wallets: store.wallets }
  const poolCheck = new PoolCheck({ ...both, pool, secondLookMs: following.pollMs })
  return { comparison, memory, intake, poolCheck, record }
}

/** Compares to the present end of the listing. Answers why the end was not reached; null when it was. */
async function compareAll(
  { comparison }: Work,
  { pollMs }: Following,
  stop: AbortSignal,
  onProgress: OnProgress,
): Promise<string | null> {
  let failures = 0
  while (!stop.aborted) {
    const end = await comparison.step()
    onProgress(comparison.counts.transactions)
    if (end === 'done') return null
    failures = end === 'more' ? 0 : failures + 1
    if (typeof end === 'object') {
      if (failures >= FAILURES_MAX) return end.failure
      await pause(wakefulScheduler, pollMs * failures, stop)
    }
  }
  return 'it was stopped'
}

/**
 * Asks again for everything that is set aside. Answers how many facts came of it. It is given up when read APIs fail again
 * and again; what was not asked for is then counted as open.
 */
async function askAside({ memory, intake }: Work, stop: AbortSignal): Promise<number> {
  const waiting = memory.setAside.toSorted((a, b) => a.timestampMs - b.timestampMs)
  let recovered = 0
  let failures = 0
  for (let first = 0; first < waiting.length && failures < FAILURES_MAX && !stop.aborted; first += LOOKUPS_MAX) {
    // As many as are looked up at once: all of them are asked for, whichever fails.
    const taken = await intake.take(waiting.slice(first, first + LOOKUPS_MAX), 'retried')
    recovered += taken.applied
    failures = taken.kind === 'done' ? 0 : failures + 1
  }
  return recovered
}

/** Asks for all wallets of the pool. Answers why that was not possible; null when it was. */
async function askForPool({ poolCheck }: Work, { pollMs }: Following, stop: AbortSignal): Promise<string | null> {
  let failures = 0
  while (!stop.aborted) {
    const end = await poolCheck.step()
    if (end === 'done') return null
    if (end === 'more') failures = 0
    if (typeof end === 'object') {
      failures += 1
      if (failures >= FAILURES_MAX) return end.failure
    }
    if (end !== 'more') await pause(wakefulScheduler, pollMs * Math.max(1, failures), stop)
  }
  return 'it was stopped'
}

/** The stores that answer and list nothing at all. */
async function emptyStores(settings: Settings): Promise<readonly string[]> {
  const { ledgerStoreUrls, ledgerTimeoutMs: timeoutMs, ledgerFollowFrom: fromMs } = settings
  const found = await Promise.all(
    ledgerStoreUrls.map(async (url) => {
      const nodes = new LedgerNodes({ storeUrls: [url], urls: [], timeoutMs })
      const listing = await nodes.umids(fromMs, 1)
      await nodes.close()
      return listing.kind === 'rows' && listing.rows.length === 0 ? url : null
    }),
  )
  return found.filter((url) => url !== null)
}

function unlisted(empty: readonly string[], listed: number): readonly string[] {
  if (listed === 0) return ['the stores list no transaction, so there was nothing to compare']
  return empty.map((url) => `the store ${url} lists no transaction, and others do: what only it had is not compared`)
}
