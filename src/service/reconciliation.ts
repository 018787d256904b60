import { Intake } from '../actors/intake.js'
import { WalletDirectory } from '../actors/wallet-directory.js'
import { AuditTrail } from '../audit/trail.js'
import type { Clock } from '../clock.js'
import type { Settings } from '../config.js'
import { type AuditEnd, DONE, type Operator } from '../domain/audit.js'
import type { Network } from '../domain/network.js'
import { auditLog, type Logger } from '../log.js'
import { type NetworkReader, NodeUnavailable, WrongNode } from '../networks/network-reader.js'
import { type ReconcileOptions, type ReconcileProgress, reconcile } from '../networks/reconcile.js'
import { retrying } from '../networks/retrying-reader.js'
import { OperatorError } from '../operator-error.js'
import { assertDirectoryFits } from '../sandbox/sandbox-directory.js'
import { wakefulScheduler } from '../scheduler.js'
import type { Store } from '../store/store.js'
import { entryOf } from './catalogue.js'
import { readerOf } from './networks.js'
import { assertHasData, openStore } from './open-store.js'
import { Shutdown } from './shutdown.js'

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

/**
 * Opens the data directory and reaches the nodes of a configured network. Throws `OperatorError` when the directory is in use
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
        decimals: store.networks.decimals,
        isRead: (currency) => store.networks.has(network, currency),
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

/** What the operator's work leaves behind. */
export function trailOf(store: Store, { log }: ReconciliationParts): AuditTrail {
  return new AuditTrail({ audit: store.audit, log: auditLog(log) })
}

function endOfComparison({ differences, repaired, recovered, next }: ReconcileProgress): AuditEnd {
  const counts = `differences: ${differences}, repaired: ${repaired}, blocks settled: ${recovered}`
  return { ...DONE, detail: `${counts}; compared up to block ${next - 1}` }
}

/**
 * Builds some work on the store of a data directory that the service has used and no process uses now. Throws
 * `OperatorError` without such a directory, after closing what was opened.
 */
export async function onUnusedStore<Work>(
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
  if (reader === null) throw new OperatorError(`no nodes of ${network} are configured`)
  shutdown.add(`nodes of ${network}`, () => reader.close())
  try {
    await reader.verify()
  } catch (error) {
    if (error instanceof WrongNode) throw new OperatorError(`${network} cannot be read: ${error.message}`)
    if (error instanceof NodeUnavailable) throw new OperatorError(`no node answers: ${error.message}`)
    throw error
  }
  const problem = reader.problem()
  // Without one of its tokens, what is recorded in it would be no more on the chain.
  if (problem?.reason === 'wrong_token')
    throw new OperatorError(`${network} cannot be read as a whole: ${problem.message}`)
  return reader
}
