import type { Settings } from '../config.js'
import { clientReader } from '../http/client-address.js'
import { withFailurePages } from '../http/failure-pages.js'
import { GatewayComplaints } from '../http/gateway-complaints.js'
import { ownOrigin } from '../http/own-origin.js'
import { requestLog } from '../http/request-log.js'
import { createRouter, finishedHooks } from '../http/router.js'
import { refusalOf } from '../http/unavailable.js'
import type { LedgerFollower } from '../ledger/follower.js'
import type { LedgerClient } from '../ledger/ledger-client.js'
import type { ChainWatcher } from '../networks/chain-watcher.js'
import type { Sandbox } from '../sandbox/sandbox.js'
import { systemScheduler } from '../scheduler.js'
import type { Service } from '../service.js'
import { type Core, type CoreContext, startCore } from './core.js'
import { doorOf } from './door.js'
import type { Endings } from './endings.js'
import { Freshness } from './freshness.js'
import { startFront, startMetricsFront } from './listeners.js'
import { allRoutes } from './routes.js'

const MS_PER_SECOND = 1000

/** Builds the parts on an open store and running threads, in the order in which they need each other, and listens. */
export async function assemble(context: CoreContext): Promise<Service> {
  const { settings, log, clock, metrics, endings, writeHealth } = context
  const core = await startCore(context)
  const { dispatcher } = core

  // The address that clients use is known for sure only when the server listens.
  let url = ''
  const publicUrl = () => settings.publicUrl ?? url
  const sandbox = settings.sandbox ? await startSandbox(core, context, publicUrl) : null
  const ledger = await startLedger(settings, endings)
  const follower = await startFollower(core, context)
  const watchers = await startNetworks(core, context)
  const freshness = new Freshness(watchers, follower, settings.watchLagSeconds * MS_PER_SECOND)

  const clientOf = clientReader(settings.trustedProxies)
  const isOwnOrigin = ownOrigin(settings.publicUrl)
  let isDraining = false
  const routes = allRoutes(core, {
    settings,
    clock,
    sandbox,
    ledger,
    clientOf,
    isOwnOrigin,
    isDraining: () => isDraining,
    takesWrites: () => writeHealth.takesWrites,
    complaints: new GatewayComplaints({
      log,
      scheduler: systemScheduler,
      ...(metrics === null ? {} : { count: metrics.gatewayRejected }),
    }),
    degradations: () => freshness.complaints(),
    notes: () => freshness.notes(),
  })
  const requests = requestLog(log)
  const router = createRouter(routes, {
    onError: requests.onError,
    onUnavailable: requests.onUnavailable,
    refusalOf,
    ...doorOf({ settings, clientOf, isOwnOrigin, clock }),
    ...finishedHooks([requests.finished, metrics?.requests].filter((hook) => hook !== undefined)),
    ...(settings.corsOrigins.length === 0 ? {} : { cors: { origins: settings.corsOrigins } }),
  })
  const resolve = withFailurePages(router, sandbox !== null)
  const banner: string[] = []
  if (metrics !== null && settings.metricsPort !== undefined) {
    metrics.watch({ ...core, clock, watchers, follower })
    const wanted = { host: settings.metricsHost, port: settings.metricsPort }
    banner.push(`metrics on ${await startMetricsFront(metrics, wanted, log, endings)}`)
  }
  url = await startFront(settings, log, resolve, endings)
  if (sandbox !== null) {
    const { sandboxBanner } = await import('../sandbox/banner.js')
    banner.unshift(...sandboxBanner(publicUrl()))
  }

  return {
    url,
    banner,
    stop: async () => {
      isDraining = true
      // Deliveries under way may take as long as the whole stop may: they finish while the requests do, and what is owed
      // from now on stays in the outbox.
      const delivered = dispatcher.stop()
      await endings.endAll()
      await delivered
    },
    waitsFor: () => endings.underWay,
  }
}

async function startSandbox(core: Core, context: CoreContext, publicUrl: () => string): Promise<Sandbox> {
  const { settings, log, clock, endings } = context
  const { createSandbox } = await import('../sandbox/sandbox.js')
  const sandbox = await createSandbox({ ...core, clock, log, publicUrl, dataDirectory: settings.dataDirectory })
  endings.add('sandbox', () => sandbox.close())
  return sandbox
}

async function startLedger(settings: Settings, endings: Endings): Promise<LedgerClient | null> {
  if (settings.ledgerUrls.length === 0) return null
  const { ledgerClientOf } = await import('./ledger.js')
  const ledger = ledgerClientOf(settings)
  if (ledger !== null) endings.add('ledger', () => ledger.close())
  return ledger
}

async function startFollower(
  core: Core,
  { settings, log, clock, endings }: CoreContext,
): Promise<LedgerFollower | null> {
  if (settings.ledgerStoreUrls.length === 0) return null
  const { ledgerFollowerOf } = await import('./ledger.js')
  const follower = ledgerFollowerOf(settings, core, log, clock)
  if (follower === null) return null
  endings.add('ledger follower', () => follower.stop())
  follower.start()
  return follower
}

async function startNetworks(core: Core, context: CoreContext): Promise<readonly ChainWatcher[]> {
  const { settings, endings } = context
  if (settings.sepUrls.length === 0 && settings.trxNileUrls.length === 0) return []
  const { startWatchers } = await import('./networks.js')
  return await startWatchers(core, context, endings)
}
