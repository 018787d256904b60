import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { Intake } from '../actors/intake.js'
import { WalletDirectory } from '../actors/wallet-directory.js'
import type { Clock } from '../clock.js'
import type { Settings } from '../config.js'
import type { Network, TokenDecimals } from '../domain/network.js'
import type { Logger } from '../log.js'
import { type NetworkReader, NodeUnavailable, WrongNode } from '../networks/network-reader.js'
import { RetryingReader } from '../networks/node/retrying-reader.js'
import { type ReconcileOptions, type ReconcileProgress, reconcile } from '../networks/reconcile.js'
import { assertDirectoryFits } from '../sandbox/sandbox-directory.js'
import { wakefulScheduler } from '../scheduler.js'
import { StartError } from '../start-error.js'
import { DATA_FILE } from '../store/lmdb/data-file.js'
import type { Store } from '../store/store.js'
import { sepReader, trxNileReader } from './networks.js'
import { openStore } from './open-store.js'
import { Shutdown } from './shutdown.js'

export interface ReconciliationParts {
  readonly network: Network
  readonly settings: Settings
  readonly log: Logger
  readonly clock: Clock
  /** Ends the work between two questions, and the patience with nodes that do not answer. */
  readonly stop: AbortSignal
}

/** What is asked of a reconciliation; the rest it has itself. */
export interface ReconciliationOrder extends Pick<ReconcileOptions, 'from' | 'to' | 'onDifference' | 'onProgress'> {
  /** Whether differences are repaired too. Webhooks that repairs owe stay in the outbox until the service runs. */
  readonly isApplied: boolean
}

/** A chain and a store that nobody else uses, ready to be compared. */
export interface Reconciliation {
  /** Height of the last block that the service has recorded; null when it has not watched the network. */
  readonly recorded: number | null
  /** Rejects as `reconcile` does. */
  run(order: ReconciliationOrder): Promise<ReconcileProgress>
  /** Forgets which blocks were read: the service begins anew at the start of its settings. Deposits stay as they are. */
  forget(): Promise<void>
  close(): Promise<void>
}

/**
 * Opens the data directory and reaches the nodes of a network that the settings name. Throws `StartError` when another
 * process uses the directory, when it was never used, and when the nodes are wrong or do not answer.
 */
export async function openReconciliation(parts: ReconciliationParts): Promise<Reconciliation> {
  const { settings, clock } = parts
  const tokenDecimals: TokenDecimals = { SEP: settings.sepTokenDecimals, 'TRX-NILE': settings.trxNileTokenDecimals }
  assertDirectoryFits(settings.dataDirectory, false)
  if (!existsSync(join(settings.dataDirectory, DATA_FILE))) {
    throw new StartError(`the data directory ${settings.dataDirectory} holds no data`)
  }
  const shutdown = new Shutdown()
  try {
    const store = await openStore(settings, clock, tokenDecimals, undefined)
    shutdown.add('store', () => store.close())
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
        reader: new RetryingReader({ reader, scheduler: wakefulScheduler, stop }),
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
  const readerOf = { SEP: sepReader, 'TRX-NILE': trxNileReader }[network]
  const reader = readerOf({ settings, tokenDecimals, clock, log })
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
