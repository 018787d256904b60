import { KnownIdentities } from '../auth/known-identities.js'
import { clientReader } from '../http/guards/client-address.js'
import { GatewayComplaints } from '../http/guards/gateway-complaints.js'
import { requestLog } from '../http/request-log.js'
import { createRouter } from '../http/router.js'
import { failurePages } from '../http/routes/pay.js'
import type { ChainWatcher } from '../networks/chain-watcher.js'
import type { Sandbox } from '../sandbox/sandbox.js'
import { systemScheduler } from '../scheduler.js'
import { type Core, type CoreContext, startCore } from './core.js'
import { doorGuards } from './door.js'
import { Lag } from './lag.js'
import { startFront, startMetricsFront } from './listeners.js'
import { tokenDecimalsOf } from './open-store.js'
import { allRoutes } from './routes.js'

const MS_PER_SECOND = 1000

/** A running service. */
export interface Service {
  /** The URL that it listens on. */
  readonly url: string
  /** Lines for the operator, printed before the ready line. */
  readonly banner: readonly string[]
  /** Stops accepting, finishes what was accepted, flushes and closes. */
  stop(): Promise<void>
  /** The part that a stop waits for; null when there is none. */
  waitsFor(): string | null
}

/** Builds the parts on an open store and running threads, in the order of their dependencies, and listens. */
export async function assemble(context: CoreContext): Promise<Service> {
  const { settings, log, clock, metrics, shutdown, writeHealth } = context
  const core = await startCore(context)
  const { dispatcher } = core

  // The address that clients use is known only once the server listens.
  let url = ''
  const publicUrl = () => settings.publicUrl ?? url
  const sandbox = settings.sandbox ? await startSandbox(core, context, publicUrl) : null
  const { client, follower } = await startLedger(core, context)
  const watchers = await startNetworks(core, context)
  const lag = new Lag(watchers, follower, settings.watchLagSeconds * MS_PER_SECOND)

  const clientOf = clientReader(settings.trustedProxies)
  let isDraining = false
  const routes = allRoutes(core, {
    settings,
    clock,
    sandbox,
    identities: new KnownIdentities(core.store.identities, client),
    clientOf,
    isDraining: () => isDraining,
    takesWrites: () => writeHealth.takesWrites,
    complaints: new GatewayComplaints(log, systemScheduler, metrics?.gatewayRejected),
    degradations: () => [...core.degradations(), ...lag.complaints()],
    notes: () => lag.notes(),
  })
  const requests = requestLog(log)
  const resolve = createRouter(routes, {
    onError: requests.onError,
    present: failurePages(sandbox !== null),
    admit: doorGuards(routes, { settings, clientOf, clock }),
    observers: metrics === null ? requests.observers : [...requests.observers, metrics.requests],
    corsOrigins: settings.corsOrigins,
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
    waitsFor: () => shutdown.waitsFor,
  }
}

async function startSandbox(core: Core, context: CoreContext, publicUrl: () => string): Promise<Sandbox> {
  const { settings, log, clock, shutdown } = context
  const { Sandbox } = await import('../sandbox/sandbox.js')
  const sandbox = await Sandbox.start({
    ...core,
    tokenDecimals: tokenDecimalsOf(settings),
    apply: (events) => core.intake.apply(events),
    clock,
    log,
    publicUrl,
    dataDirectory: settings.dataDirectory,
  })
  shutdown.add('sandbox', () => sandbox.close())
  return sandbox
}

async function startLedger(core: Core, context: CoreContext) {
  const { ledgerUrls, ledgerStoreUrls } = context.settings
  if (ledgerUrls.length === 0) return { client: null, follower: null }
  const { startFollower, startLedgerClient } = await import('./ledger.js')
  const client = startLedgerClient(context)
  // The stores of the ledger need its nodes, which the settings ask for.
  return { client, follower: ledgerStoreUrls.length === 0 ? null : startFollower(core, context) }
}

async function startNetworks(core: Core, context: CoreContext): Promise<readonly ChainWatcher[]> {
  const { sepUrls, trxNileUrls } = context.settings
  if (sepUrls.length === 0 && trxNileUrls.length === 0) return []
  const { startWatchers } = await import('./networks.js')
  return await startWatchers(core, context)
}
