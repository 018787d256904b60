import { KnownIdentities } from '../auth/known-identities.js'
import type { Network } from '../domain/network.js'
import { clientReader } from '../http/guards/client-address.js'
import { GatewayComplaints } from '../http/guards/gateway-complaints.js'
import { Limiters } from '../http/guards/rate-limiter.js'
import { requestLog } from '../http/request-log.js'
import { REQUEST_LOOP, RequestTurns } from '../http/request-turns.js'
import { createRouter } from '../http/router.js'
import { failurePages } from '../http/routes/failure-pages.js'
import { type Readiness, unreadiness } from '../http/routes/health.js'
import { strictTransport } from '../http/strict-transport.js'
import type { LedgerNodes } from '../ledger/ledger-nodes.js'
import { auditLog } from '../log.js'
import { RateWatch } from '../rates/rate-watch.js'
import { systemScheduler } from '../scheduler.js'
import { startAdmin } from './admin.js'
import { entryOf } from './catalogue.js'
import { startClockWatch, startDatabaseClock } from './clock/start.js'
import { type Core, startCore } from './core.js'
import type { CoreContext } from './core-context.js'
import { ProxyProbe } from './doctor/proxy-probe.js'
import { doorGuards } from './door.js'
import { Lag } from './lag.js'
import { type StartedFront, startFront } from './listeners.js'
import { operatorWork } from './operator.js'
import { pageSettingsOf, startOpenPages } from './pages.js'
import { progressOf } from './progress.js'
import { rateOriginOf, rateTermsOf } from './rates.js'
import { allRoutes, apiHandlers } from './routes.js'
import { startSandbox, startSandboxRates } from './sandbox.js'
import { SharedAllowances } from './shared-allowances.js'
import type { Shutdown } from './shutdown.js'

const MS_PER_SECOND = 1000

/** A running service. */
export interface Service {
  /** The URL that it listens on. */
  readonly url: string
  /** Lines for the operator, printed before the ready line. */
  readonly banner: readonly string[]
  /** Reads the certificate's files again, and takes a new level of the log into account. */
  reload(): void
  /** Whether the verification threads are ready and the store comes to a write. Does not resolve while the store hangs. */
  isAlive(): Promise<boolean>
  /** From now on `/readyz` says that the service stops. Everything is served as before. */
  announceStop(): void
  /** Stops accepting, finishes what was accepted, flushes and closes. */
  stop(): Promise<void>
  /** The part that a stop waits for; null when there is none. */
  waitsFor(): string | null
}

/** Builds the parts on an open store and running threads, in the order of their dependencies, and listens. */
export async function assemble(context: CoreContext): Promise<Service> {
  const { settings, log, clock, metrics, shutdown, writeHealth, lockWaits, storeDamage } = context
  const pages = pageSettingsOf(settings, log)
  const core = await startCore(context)
  const { duties } = core

  // The address that clients use is known only once the server listens.
  let front: StartedFront | null = null
  const publicUrl = () => settings.publicUrl ?? front?.url ?? ''
  const sandbox = settings.sandbox ? await startSandbox(core, context, publicUrl) : null
  const sandboxRates = settings.sandbox ? await startSandboxRates(core, context) : null
  const client = sandbox?.ledgerNode ?? (await startLedgerClient(core, context))
  shutdown.add('duties', () => duties.stop())
  await duties.start()
  const quietMs = (network: Network) => (entryOf(settings, network)?.quietSeconds ?? 0) * MS_PER_SECOND
  const lag = new Lag(duties, settings.watchLagSeconds * MS_PER_SECOND, quietMs)

  const clientOf = clientReader(settings.trustedProxies)
  const limiters = new Limiters(clock)
  const identities = new KnownIdentities(core.store.identities, client)
  const openPages = startOpenPages(core.store, settings, clock, log)
  const api = apiHandlers(
    { ...core, openPages, onOwed: duties.notify },
    { settings, clock, identities, clientOf, limiters, isSandbox: sandbox !== null, pages },
  )
  const clockWatch = startClockWatch(core, context)
  const databaseClock = startDatabaseClock(context)
  const rateWatch = startRateWatch(core, context)
  const degraded = () => [
    ...storeDamage.complaints(),
    ...core.degradations(),
    ...clockWatch.complaints(),
    ...(databaseClock?.complaints() ?? []),
    ...lockWaits.complaints(),
    ...lag.complaints(),
    ...(rateWatch?.complaints() ?? []),
    ...(front?.certificate.complaints() ?? []),
  ]
  const degradations = () => degraded().map(({ text }) => text)
  let isDraining = false
  const readiness: Readiness = {
    isStoreOpen: () => core.store.isOpen(),
    takesWrites: () => writeHealth.takesWrites,
    isPoolReady: () => core.pool.ready(),
    isDraining: () => isDraining,
    degradations,
    notes: () => lag.notes(),
  }
  const isReady = () => unreadiness(readiness) === null
  const whyNotReady = () => {
    if (front === null) return 'it does not listen yet'
    const code = unreadiness(readiness)
    if (code === null) return null
    if (code === 'shutting_down') return 'it is stopping'
    const { refusal } = writeHealth
    return refusal === null ? 'its verification threads are not ready' : `the store refuses writes: ${refusal}`
  }
  const routes = allRoutes(core, {
    settings,
    clock,
    api,
    sandbox,
    sandboxRates,
    identities,
    ledgerClient: client,
    clientOf,
    limiters,
    complaints: new GatewayComplaints(log, systemScheduler, metrics?.gatewayRejected),
    clockWatch,
    readiness,
  })
  const shared = new SharedAllowances({ limiters, allowances: core.store.allowances, scheduler: systemScheduler, log })
  shutdown.add('allowances', () => shared.stop())
  shared.start()
  const requests = requestLog(log, metrics === null ? [] : [metrics.requests])
  const probe = new ProxyProbe(clientOf)
  const present = failurePages(pages)
  const turns = new RequestTurns(REQUEST_LOOP)
  const resolve = createRouter(routes, {
    onError: requests.onError,
    present: isReachedByHttps(settings) ? strictTransport(present) : present,
    admit: [probe.guard, ...doorGuards(routes, { settings, clientOf, limiters })],
    observers: requests.observers,
    corsOrigins: settings.corsOrigins,
    turns: {
      isFree: () => turns.isFree(),
      wait: (head, handle) => turns.wait(clientOf(head).key, handle),
    },
  })
  const progress = progressOf(duties)
  const operators = operatorWork({
    ...core,
    identities,
    onOwed: duties.notify,
    leaseMs: settings.walletLeaseSeconds * 1000,
    log: auditLog(log),
  })
  const startedAt = clock.now()
  const banner: string[] = []
  if (metrics !== null && settings.metricsPort !== undefined) {
    metrics.watch({
      ...core,
      log,
      openPages,
      clock,
      isReady,
      degraded,
      clockOffsetMs: () => clockWatch.reading?.offsetMs ?? null,
      writeHealth,
      rates: rateWatch,
      certificateExpiresAt: () => front?.certificate.expiresAt ?? null,
    })
    const { startOperations } = await import('./operations.js')
    const shown = {
      operators,
      condition: { isReady, degradations, clock: () => clockWatch.reading },
      progress,
      pages: publicUrl,
      startedAt,
    }
    banner.push(...(await startOperations(core, context, metrics, shown)))
  }
  const commands = {
    settings,
    log,
    clock,
    store: core.store,
    engine: core.engine,
    api,
    sandbox,
    shutdown,
    startedAt,
    whyNotReady,
    linesLost: () => log.linesLost(),
    degradations,
    clockReading: () => clockWatch.reading,
    progress,
    doctor: { settings, clock, log, running: { store: core.store, probe, clockReading: () => clockWatch.reading } },
    operators,
  }
  await startAdmin({ ...commands, url: () => publicUrl() }).catch((error) => {
    log.warn({ err: error }, 'commands cannot reach this service: nothing listens on admin.sock')
  })
  const { url, certificate } = await startFront(context, resolve).then((started) => {
    front = started
    return started
  })
  // Before the requests, which would wait for streams that have no end of their own.
  shutdown.add('open pages', () => openPages.close())
  // Likewise: a ledger may never answer.
  shutdown.add('waiting transactions', () => sandbox?.answerWaiting())
  if (sandbox !== null) {
    const { sandboxBanner } = await import('../sandbox/banner.js')
    banner.unshift(...sandboxBanner(publicUrl(), core.store.networks.present, settings.app))
  }

  return {
    url,
    banner,
    reload: () => {
      requests.levelChanged()
      certificate.renew()
    },
    ...lifeOf(core, shutdown, () => {
      isDraining = true
    }),
  }
}

/** How the service shows that it lives, and how it ends. */
function lifeOf(
  { store, pool, duties }: Core,
  shutdown: Shutdown,
  announceStop: () => void,
): Pick<Service, 'isAlive' | 'announceStop' | 'stop' | 'waitsFor'> {
  return {
    announceStop,
    isAlive: async () => {
      // A refusal is an answer: no restart frees a full disk, and reads go on.
      await store.commitNothing().catch(() => undefined)
      return store.isOpen() && pool.ready()
    },
    stop: async () => {
      announceStop()
      // Deliveries in progress may take as long as the whole stop, so they finish while the requests do. New deliveries
      // stay in the outbox.
      const delivered = duties.stopSending()
      await shutdown.endAll()
      await delivered
    },
    waitsFor: () => duties.waitsFor ?? shutdown.waitsFor,
  }
}

/** Whether this service itself speaks HTTPS under the URL that clients use. A proxy has a policy of its own. */
function isReachedByHttps({ tlsCert, publicUrl }: CoreContext['settings']): boolean {
  return tlsCert !== undefined && publicUrl?.startsWith('https:') === true
}

/** Null where there are no rates. */
function startRateWatch({ store }: Core, { settings, clock, shutdown }: CoreContext): RateWatch | null {
  if (rateOriginOf(settings) === null) return null
  const { maxAgeMs } = rateTermsOf(settings)
  const watch = new RateWatch({ rates: store.rates, maxAgeMs, now: () => clock.now(), scheduler: systemScheduler })
  shutdown.add('the watch of rates', () => watch.stop())
  watch.start()
  return watch
}

/** Null when no ledger is asked. */
async function startLedgerClient(core: Core, context: CoreContext): Promise<LedgerNodes | null> {
  if (context.settings.ledgerUrls.length === 0) return null
  const ledger = await import('./ledger.js')
  return ledger.startLedgerClient(core, context)
}
