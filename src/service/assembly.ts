import { KnownIdentities } from '../auth/known-identities.js'
import type { Settings } from '../config.js'
import { clientReader } from '../http/guards/client-address.js'
import { GatewayComplaints } from '../http/guards/gateway-complaints.js'
import { failurePages } from '../http/pages.js'
import { requestLog } from '../http/request-log.js'
import { createRouter } from '../http/router.js'
import type { LedgerFollower } from '../ledger/follower.js'
import type { LedgerClient } from '../ledger/ledger-client.js'
import type { ChainWatcher } from '../networks/chain-watcher.js'
import type { Sandbox } from '../sandbox/sandbox.js'
import { systemScheduler } from '../scheduler.js'
import { type Core, type CoreContext, startCore } from './core.js'
import { doorGuards } from './door.js'
import { Lag } from './lag.js'
import { startFront, startMetricsFront } from './listeners.js'
import { allRoutes } from './routes.js'
import type { Service } from './running-service.js'
import type { Shutdown } from './shutdown.js'

const MS_PER_SECOND = 1000

/** Builds the parts on an open store and running threads, in the order of their dependencies, and listens. */
export async function assemble(context: CoreContext): Promise<Service> {
  const { settings, log, clock, metrics, shutdown, writeHealth } = context
  const core = await startCore(context)
  const { dispatcher } = core

  // The address that clients use is known only once the server listens.
  let url = ''
  const publicUrl = () => settings.publicUrl ?? url
  const sandbox = settings.sandbox ? await startSandbox(core, context, publicUrl) : null
  const ledger = await startLedger(settings, shutdown)
  const follower = await startFollower(core, context)
  const watchers = await startNetworks(core, context)
  const lag = new Lag(watchers, follower, settings.watchLagSeconds * MS_PER_SECOND)

  const clientOf = clientReader(settings.trustedProxies)
  let isDraining = false
  const routes = allRoutes(core, {
    settings,
    clock,
    sandbox,
    identities: new KnownIdentities(core.store.identities, ledger),
    clientOf,
    isDraining: () => isDraining,
    takesWrites: () => writeHealth.takesWrites,
    complaints: new GatewayComplaints({
      log,
      scheduler: systemScheduler,
      ...(metrics === null ? {} : { count: metrics.gatewayRejected }),
    }),
    degradations: () => [...core.degradations(), ...lag.complaints()],
    notes: () => lag.notes(),
  })
  const requests = requestLog(log)
  const resolve = createRouter(routes, {
    onError: requests.onError,
    onUnavailable: requests.onUnavailable,
    present: failurePages(sandbox !== null),
    admit: doorGuards(routes, { settings, clientOf, clock }),
    observers: metrics === null ? requests.observers : [...requests.observers, metrics.requests],
    ...(settings.corsOrigins.length === 0 ? {} : { cors: { origins: settings.corsOrigins } }),
  })
  const banner: string[] = []
  if (metrics !== null && settings.metricsPort !== undefined) {
    metrics.watch({ ...core, clock, watchers, follower })
    const wanted = { host: settings.metricsHost, port: settings.metricsPort }
    banner.push(`metrics on ${await startMetricsFront(metrics, wanted, log, shutdown)}`)
  }
  url = await startFront(settings, log, resolve, shutdown)
  if (sandbox !== null) {
    const { sandboxBanner } = await import('../sandbox/banner.js')
    banner.unshift(...sandboxBanner(publicUrl()))
  }

  return {
    url,
    banner,
    stop: async () => {
      isDraining = true
      // Deliveries in progress may take as long as the whole stop, so they finish while the requests do. New deliveries
      // stay in the outbox.
      const delivered = dispatcher.stop()
      await shutdown.endAll()
      await delivered
    },
    waitsFor: () => shutdown.underWay,
  }
}

async function startSandbox(core: Core, context: CoreContext, publicUrl: () => string): Promise<Sandbox> {
  const { settings, log, clock, shutdown } = context
  const { Sandbox } = await import('../sandbox/sandbox.js')
  const sandbox = await Sandbox.start({
    ...core,
    apply: (events) => core.intake.apply(events),
    clock,
    log,
    publicUrl,
    dataDirectory: settings.dataDirectory,
  })
  shutdown.add('sandbox', () => sandbox.close())
  return sandbox
}

async function startLedger(settings: Settings, shutdown: Shutdown): Promise<LedgerClient | null> {
  if (settings.ledgerUrls.length === 0) return null
  const { ledgerClientOf } = await import('./ledger.js')
  const ledger = ledgerClientOf(settings)
  if (ledger !== null) shutdown.add('ledger', () => ledger.close())
  return ledger
}

async function startFollower(
  core: Core,
  { settings, log, clock, shutdown }: CoreContext,
): Promise<LedgerFollower | null> {
  if (settings.ledgerStoreUrls.length === 0) return null
  const { ledgerFollowerOf } = await import('./ledger.js')
  const follower = ledgerFollowerOf(settings, core, log, clock)
  if (follower === null) return null
  shutdown.add('ledger follower', () => follower.stop())
  follower.start()
  return follower
}

async function startNetworks(core: Core, context: CoreContext): Promise<readonly ChainWatcher[]> {
  const { settings, shutdown } = context
  if (settings.sepUrls.length === 0 && settings.trxNileUrls.length === 0) return []
  const { startWatchers } = await import('./networks.js')
  return await startWatchers(core, context, shutdown)
}
