import type { Clock } from './clock.js'
import type { Settings } from './config.js'
import type { Log } from './log.js'
import type { Metrics } from './metrics/metrics.js'
import { assertDirectoryFits } from './sandbox/sandbox-directory.js'
import { systemScheduler } from './scheduler.js'
import type { Service } from './service/assembly.js'
import { LockWaits } from './service/lock-waits.js'
import { migrationLog } from './service/migration-log.js'
import { Shutdown } from './service/shutdown.js'
import { hasWallets, startWarnings, warnOfLedger, warnOfOpenDirectory } from './service/start-warnings.js'
import { StoreDamage } from './service/store-damage.js'
import { startVerification } from './service/verification.js'
import { WriteHealth } from './service/write-health.js'
import type { Store } from './store/store.js'

const NEVER = new AbortController().signal

/**
 * Builds the parts in the order of their dependencies and starts them. Throws `OperatorError` for problems that the
 * operator can correct, after stopping the parts that were started; `StartStopped` when `stop` ended a migration of the data.
 */
export async function startService(
  settings: Settings,
  log: Log,
  clock: Clock,
  stop: AbortSignal = NEVER,
): Promise<Service> {
  const shutdown = new Shutdown()
  try {
    return await start({ settings, log, clock, stop, shutdown })
  } catch (error) {
    await shutdown.endAll()
    throw error
  }
}

interface Starting {
  readonly settings: Settings
  readonly log: Log
  readonly clock: Clock
  readonly stop: AbortSignal
  readonly shutdown: Shutdown
}

/**
 * Slow starts begin first: the threads run their self-test and the store opens while the rest of the program is loaded.
 * Nothing is answered before all of it is done.
 */
async function start({ settings, log, clock, stop, shutdown }: Starting): Promise<Service> {
  assertDirectoryFits(settings.dataDirectory, settings.sandbox)
  const metrics = await metricsOf(settings)

  // Stopped after the threads, because a verdict is followed by a read of the store.
  let opening: Promise<Store> | null = null
  let opened: Store | null = null
  const writeHealth = new WriteHealth(log, systemScheduler, () => opened)
  const lockWaits = new LockWaits(log, clock)
  const storeDamage = new StoreDamage(log)
  shutdown.add('store', async () => await (await opening?.catch(() => null))?.close())
  const verification = await startVerification(settings, log, metrics?.verifications)
  shutdown.add('verification', () => verification.pool.close())
  const warmUp = verification.pool.warmUp()
  opening = import('./service/open-store.js').then(({ openStore }) =>
    openStore(settings, clock, {
      ...(metrics === null ? {} : { commitObserver: metrics.commits }),
      onUnavailable: (reason) => writeHealth.commitFailed(reason),
      onDamaged: (error) => storeDamage.found(error),
      onLockTimeout: (reason) => lockWaits.missed(reason),
      migration: migrationLog(log, clock, stop),
      onCreated: (place, birth) => log.warn(birth, `a new, empty store was created in ${place}`),
      onLeft: () => log.warn('the last run did not stop by itself: it was killed, crashed, or the machine lost power'),
      isService: true,
    }),
  )
  const loading = import('./service/assembly.js')
  const [store, { assemble }] = await Promise.all([opening, loading, warmUp])
  opened = store
  if (settings.store !== 'lmdb') writeHealth.beat()
  warnOfOpenDirectory(settings.dataDirectory, log)
  for (const warning of startWarnings(settings, await hasWallets(store))) log.warn(warning)
  const asking = new AbortController()
  shutdown.add('questions to the ledger', () => asking.abort())
  // Nothing waits for it.
  void warnOfLedger(settings, log, asking.signal)
  return await assemble({
    settings,
    log,
    clock,
    metrics,
    shutdown,
    store,
    verification,
    writeHealth,
    lockWaits,
    storeDamage,
  })
}

async function metricsOf(settings: Settings): Promise<Metrics | null> {
  if (settings.metricsPort === undefined) return null
  const { Metrics } = await import('./metrics/metrics.js')
  return new Metrics()
}
