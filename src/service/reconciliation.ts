import { Intake } from '../actors/intake.js'
import { WalletDirectory } from '../actors/wallet-directory.js'
import type { Clock } from '../clock.js'
import type { Settings } from '../config.js'
import type { Network, TokenDecimals } from '../domain/network.js'
import type { Logger } from '../log.js'
import { type NetworkReader, NodeUnavailable, WrongNode } from '../networks/network-reader.js'
import { type ReconcileOptions, type ReconcileProgress, reconcile } from '../networks/reconcile.js'
import { retrying } from '../networks/retrying-reader.js'
import { wakefulScheduler } from '../scheduler.js'
import { StartError } from '../start-error.js'
import type { Store } from '../store/store.js'
import { READERS } from './networks.js'
import { openUnusedStore } from './open-store.js'
import { Shutdown } from './shutdown.js'
import { tokenDecimalsOf } from './tokens.js'

export interface ReconciliationParts {
  readonly network: Network
  readonly settings: Settings
  readonly log: Logger
  readonly clock: Clock
  /** Ends the work between two queries, and the retries of nodes that do not answer. */
  readonly stop: AbortSignal
}

/** The range to compare, and its callbacks. */
export interface ReconciliationOrder extends Pick<ReconcileOptions, 'from' | 'to' | 'onDifference' | 'onProgress'> {
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
 * Opens the data directory and reaches the nodes of a configured network. Throws `StartError` when the directory is in use
 * or was never used, and when the nodes are wrong or do not answer.
 */
export async function openReconciliation(parts: ReconciliationParts): Promise<Reconciliation> {
  const { settings, clock } = parts
  const tokenDecimals = tokenDecimalsOf(settings)
  const shutdown = new Shutdown()
  try {
    const store = await openUnusedStore(settings, clock, tokenDecimals, shutdown)
    const reader = await reachNodes(parts, tokenDecimals, shutdown)
    return await reconciliationOf(parts, store, reader, tokenDecimals, shutdown)
  } catch (error) {
    await shutdown.endAll()
    throw error
  }
}

async function reconciliationOf(
  { network, stop }: ReconciliationParts,
  store: Store,
  reader: NetworkReader,
  tokenDecimals: TokenDecimals,
  shutdown: Shutdown,
): Promise<Reconciliation> {
  const directory = new WalletDirectory(store)
  shutdown.add('wallets', () => directory.idle())
  const intake = new Intake(store.ledger, directory, () => {})
  const position = await store.chain.position(network)
  return {
    recorded: position?.tip.height ?? null,
    run: ({ isApplied, ...order }) =>
      reconcile({
        ...order,
        reader: retrying(reader, wakefulScheduler, stop),
        store,
        tokenDecimals,
        intake: isApplied ? intake : null,
        isStopping: () => stop.aborted,
      }),
    async forget() {
      await intake.observe({ type: 'forget', network })
    },
    close: () => shutdown.endAll(),
  }
}

async function reachNodes(
  { network, settings, log, clock }: ReconciliationParts,
  tokenDecimals: TokenDecimals,
  shutdown: Shutdown,
): Promise<NetworkReader> {
  const reader = READERS[network]({ settings, tokenDecimals, clock, log })
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
