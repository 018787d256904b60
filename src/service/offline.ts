import { existsSync, readdirSync } from 'node:fs'
import { WalletDirectory } from '../actors/wallet-directory.js'
import { KnownIdentities } from '../auth/known-identities.js'
import type { Clock } from '../clock.js'
import type { Settings } from '../config.js'
import { noble } from '../crypto/noble.js'
import { clientReader } from '../http/guards/client-address.js'
import { Limiters } from '../http/guards/rate-limiter.js'
import type { Logger } from '../log.js'
import { NO_BRAND } from '../page/brand.js'
import { isSandboxDirectory } from '../sandbox/sandbox-directory.js'
import { startAdmin } from './admin.js'
import { startSender } from './core.js'
import { assertHasData, openStore } from './open-store.js'
import { operatorWork } from './operator.js'
import { apiHandlers } from './routes.js'
import { Shutdown } from './shutdown.js'

/**
 * Serves `admin.sock` of a data directory that no service uses, for one command: the same work behind the same socket, with no
 * port, no watchers and no webhooks. Webhooks that a command owes are sent when the service runs. Resolves with what
 * closes it. Throws `OperatorError` when another process has the directory, or when it holds no data, unless it is empty and `mayBegin`.
 */
export async function startOffline(
  settings: Settings,
  log: Logger,
  clock: Clock,
  mayBegin: boolean,
): Promise<() => Promise<void>> {
  const { dataDirectory } = settings
  if (!mayBegin || !isEmpty(dataDirectory)) {
    assertHasData(
      settings,
      mayBegin ? '; name the right one, or an empty one, with --data' : '; name the right one with --data',
    )
  }
  const shutdown = new Shutdown()
  try {
    const sandbox = isSandboxDirectory(dataDirectory)
    const store = await openStore(settings, clock, {
      mayBegin,
      onCreated: (place, birth) => log.warn(birth, `a new, empty store was created in ${place}`),
    })
    shutdown.add('store', () => store.close())
    const { testDeliveries } = startSender({ settings, clock, shutdown, store })
    const directory = new WalletDirectory(store)
    shutdown.add('wallets', () => directory.idle())
    const onOwed = () => {}
    const core = { store, directory, engine: noble, testDeliveries, onOwed, openPages: { open: () => null } }
    const identities = new KnownIdentities(store.identities, null)
    const clientOf = clientReader([])
    const limiters = new Limiters(clock)
    // No payer reaches it.
    const pages = { isSandbox: sandbox, brand: NO_BRAND, frameAncestors: [], lateMs: 0 }
    await startAdmin({
      settings: { ...settings, sandbox },
      log,
      clock,
      store,
      engine: noble,
      api: apiHandlers(core, { settings, clock, identities, clientOf, limiters, isSandbox: sandbox, pages }),
      sandbox: null,
      shutdown,
      startedAt: clock.now(),
      url: () => null,
      whyNotReady: () => null,
      linesLost: () => 0,
      degradations: () => [],
      clockReading: () => null,
      progress: { networks: () => [], nodes: () => [], ledger: () => null },
      doctor: { settings, clock, log, running: null },
      operators: operatorWork({
        ...{ store, identities, directory, onOwed, log },
        leaseMs: settings.walletLeaseSeconds * 1000,
      }),
    })
    return () => shutdown.endAll()
  } catch (error) {
    await shutdown.endAll()
    throw error
  }
}

/** Whether it exists and has no file. */
function isEmpty(directory: string): boolean {
  return existsSync(directory) && readdirSync(directory).every((name) => name === 'lost+found')
}
