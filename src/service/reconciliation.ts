import { Intake } from '../actors/intake.js'
import { WalletDirectory } from '../actors/wallet-directory.js'
import { AuditTrail } from '../audit/trail.js'
import type { Clock } from '../clock.js'
import type { Settings } from '../config.js'
import { noble } from '../crypto/noble.js'
import { type AuditEnd, DONE, type Operator } from '../domain/audit.js'
import type { Network } from '../domain/network.js'
import { LedgerComparison } from '../ledger/comparison.js'
import { FollowerMemory } from '../ledger/follower-memory.js'
import { FollowerRecord } from '../ledger/follower-state.js'
import { TransactionIntake } from '../ledger/transaction-intake.js'
import { auditLog, type Logger } from '../log.js'
import { type NetworkReader, NodeUnavailable, WrongNode } from '../networks/network-reader.js'
import { type ReconcileOptions, type ReconcileProgress, reconcile } from '../networks/reconcile.js'
import { retrying } from '../networks/retrying-reader.js'
import { assertDirectoryFits } from '../sandbox/sandbox-directory.js'
import { pause, wakefulScheduler } from '../scheduler.js'
import { StartError } from '../start-error.js'
import type { Store } from '../store/store.js'
import { entryOf } from './catalogue.js'
import { type Following, followingOf } from './ledger.js'
import { readerOf } from './networks.js'
import { assertHasData, openStore } from './open-store.js'
import { Shutdown } from './shutdown.js'

/** Steps of the comparison with the ledger that may fail in a row before it is given up. */
const FAILURES_MAX = 5

export interface ReconciliationParts {
  readonly settings: Settings
  /** Gets a line for each fact of the ledger that was missed. */
  readonly log: Logger
  readonly clock: Clock
  /** Who runs it. */
  readonly operator: Operator
  /** Ends the work between two queries, and the retries of nodes that do not answer. */
  readonly stop: AbortSignal
}

/** The range to compare, and its callbacks. */
interface ReconciliationOrder extends Pick<ReconcileOptions, 'from' | 'to' | 'onDifference' | 'onProgress'> {
  /** Whether differences are repaired. Webhooks that repairs owe stay in the outbox until the service runs. */
  readonly isApplied: boolean
}

/** A chain and a store that no other process uses, ready to be compared. */
export interface Reconciliation {
  /** Height of the last block that the service has recorded; null when it has not watched the network. */
  readonly recorded: number | null
  /** Rejects as `reconcile` does. */
  run(order: ReconciliationOrder): Promise<ReconcileProgress>
  /** Forgets which blocks were read: the service starts again at its configured start. Deposits stay as they are. */
  forget(): Promise<void>
  close(): Promise<void>
}

type OnProgress = (transactions: number) => void

/** The result of a comparison with the ledger. */
export interface LedgerReconciled {
  /** Transactions compared. */
  readonly transactions: number
  /** Facts that were missed, and are applied now. */
  readonly missed: number
  /** Why the end was not reached; null when it was. */
  readonly failure: string | null
}

/**
 * Opens the data directory and reaches the nodes of a configured network. Throws `StartError` when the directory is in use
 * or was never used, and when the nodes are wrong or do not answer.
 */
export function openReconciliation(network: Network, parts: ReconciliationParts): Promise<Reconciliation> {
  return onUnusedStore<Omit<Reconciliation, 'close'>>(parts, async (store, shutdown) => {
    const reader = await reachNodes(network, parts, shutdown)
    const directory = new WalletDirectory(store)
    shutdown.add('wallets', () => directory.idle())
    const intake = new Intake(store.ledger, directory, () => {})
    const position = await store.chain.position(network)
    const { stop, operator } = parts
    const trail = trailOf(store, parts)
    const compare = ({ isApplied, ...order }: ReconciliationOrder) =>
      reconcile({
        ...order,
        reader: retrying(reader, wakefulScheduler, stop),
        store,
        tokenDecimals: store.networks.decimals,
        intake: isApplied ? intake : null,
        isStopping: () => stop.aborted,
      })
    return {
      recorded: position?.tip.height ?? null,
      run: (order) => {
        if (!order.isApplied) return compare(order)
        const subject = `${network} blocks ${order.from} to ${order.to}`
        const action = { ...operator, action: 'reconcile.apply', owner: null, subject }
        return trail.followLong(action, () => compare(order), endOfComparison)
      },
      async forget() {
        const action = { ...operator, action: 'reconcile.forget', owner: null, subject: network }
        await trail.follow(
          action,
          () => intake.observe({ type: 'forget', network }),
          () => DONE,
        )
      },
    }
  })
}

/**
 * Opens the data directory and the ledger that the settings follow, to compare them from the beginning. No webhooks result:
 * facts of the ledger owe none. Throws `StartError` when the directory is in use, was never used, or has not followed this
 * ledger.
 */
export function openLedgerReconciliation(parts: ReconciliationParts) {
  return onUnusedStore(parts, async (store, shutdown) => {
    const following = followingOf(parts.settings, noble)
    shutdown.add('ledger', () => following.source.close())
    const comparison = await comparisonOf(parts, store, following)
    const action = { ...parts.operator, action: 'reconcile.ledger', owner: null, subject: null }
    const run = (onProgress: OnProgress) =>
      trailOf(store, parts).followLong(
        action,
        () => runAll(comparison, following, parts.stop, onProgress),
        ({ missed, failure }): AuditEnd => ({
          outcome: failure === null ? 'done' : 'failed',
          detail: `facts missed before: ${missed}${failure === null ? '' : '; the end was not reached'}`,
        }),
      )
    return { run }
  })
}

function trailOf(store: Store, { log }: ReconciliationParts): AuditTrail {
  return new AuditTrail({ audit: store.audit, log: auditLog(log) })
}

function endOfComparison({ differences, repaired, recovered, next }: ReconcileProgress): AuditEnd {
  const counts = `differences: ${differences}, repaired: ${repaired}, blocks settled: ${recovered}`
  return { ...DONE, detail: `${counts}; compared up to block ${next - 1}` }
}

/**
 * Builds some work on the store of a data directory that the service has used and no process uses now. Throws
 * `StartError` without such a directory, after closing what was opened.
 */
async function onUnusedStore<Work>(
  { settings, clock }: ReconciliationParts,
  build: (store: Store, shutdown: Shutdown) => Promise<Work>,
): Promise<Work & { close(): Promise<void> }> {
  const { dataDirectory } = settings
  const shutdown = new Shutdown()
  try {
    assertDirectoryFits(dataDirectory, false)
    assertHasData(settings)
    const store = await openStore(settings, clock)
    shutdown.add('store', () => store.close())
    return { ...(await build(store, shutdown)), close: () => shutdown.endAll() }
  } catch (error) {
    await shutdown.endAll()
    throw error
  }
}

async function reachNodes(network: Network, parts: ReconciliationParts, shutdown: Shutdown): Promise<NetworkReader> {
  const entry = entryOf(parts.settings, network)
  const reader = entry === undefined ? null : readerOf(entry, parts)
  if (reader === null) throw new StartError(`no nodes of ${network} are configured`)
  shutdown.add(`nodes of ${network}`, () => reader.close())
  try {
    await reader.verify()
  } catch (error) {
    if (error instanceof WrongNode) throw new StartError(`${network} cannot be read: ${error.message}`)
    if (error instanceof NodeUnavailable) throw new StartError(`no node answers: ${error.message}`)
    throw error
  }
  return reader
}

async function comparisonOf(
  { clock, log, stop }: ReconciliationParts,
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
    ledger: store.ledger,
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
  onProgress: OnProgress,
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
