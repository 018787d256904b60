import type { Clock } from './clock.js'
import type { Settings } from './config.js'
import { requestLog } from './http/request-log.js'
import { createRouter, finishedHooks } from './http/router.js'
import type { Logger } from './log.js'
import { createMetrics } from './metrics/metrics.js'
import { sandboxBanner } from './sandbox/banner.js'
import { createSandbox } from './sandbox/sandbox.js'
import { assertDirectoryFits } from './sandbox/sandbox-directory.js'
import { startCore } from './service/core.js'
import { Endings } from './service/endings.js'
import { ledgerClientOf, ledgerFollowerOf } from './service/ledger.js'
import { startFront, startMetricsFront } from './service/listeners.js'
import { allRoutes } from './service/routes.js'

/** The service while it runs. */
export interface Service {
  /** The address listened on. */
  readonly url: string
  /** Lines for the operator, printed before the ready line. */
  readonly banner: readonly string[]
  /** Stops accepting, finishes what was accepted, flushes and closes. */
  stop(): Promise<void>
  /** The part that a stop waits for; null when there is none. */
  waitsFor(): string | null
}

/**
 * Builds the parts, in the order in which they need each other, and starts them. What the operator can mend is thrown as
 * `StartError`; whatever was started before is ended again.
 */
export async function startService(settings: Settings, log: Logger, clock: Clock): Promise<Service> {
  const endings = new Endings()
  try {
    return await start(settings, log, clock, endings)
  } catch (error) {
    await endings.endAll()
    throw error
  }
}

async function start(settings: Settings, log: Logger, clock: Clock, endings: Endings): Promise<Service> {
  assertDirectoryFits(settings.dataDirectory, settings.sandbox)
  const metrics = settings.metricsPort === undefined ? null : createMetrics()
  const core = await startCore({ settings, log, clock, metrics, endings })
  const { store, engine, intake, tokenDecimals, dispatcher } = core

  // The address that clients use is known for sure only when the server listens.
  let url = ''
  const publicUrl = () => settings.publicUrl ?? url
  const { dataDirectory } = settings
  const sandbox = settings.sandbox
    ? await createSandbox({ store, intake, engine, clock, log, tokenDecimals, publicUrl, dataDirectory })
    : null
  if (sandbox !== null) endings.add('sandbox', () => sandbox.close())
  const ledger = ledgerClientOf(settings)
  if (ledger !== null) endings.add('ledger', () => ledger.close())
  const follower = ledgerFollowerOf(settings, core, log, clock)
  if (follower !== null) {
    endings.add('ledger follower', () => follower.stop())
    follower.start()
  }

  let isDraining = false
  const routes = allRoutes(core, { settings, log, clock, sandbox, ledger, publicUrl, isDraining: () => isDraining })
  const requests = requestLog(log)
  const resolve = createRouter(routes, {
    onError: requests.onError,
    ...finishedHooks([requests.finished, metrics?.requests].filter((hook) => hook !== undefined)),
    ...(settings.corsOrigins.length === 0 ? {} : { cors: { origins: settings.corsOrigins } }),
  })
  const banner: string[] = []
  if (metrics !== null && settings.metricsPort !== undefined) {
    metrics.watch({ ...core, clock })
    const wanted = { host: settings.metricsHost, port: settings.metricsPort }
    banner.push(`metrics on ${await startMetricsFront(metrics, wanted, log, endings)}`)
  }
  url = await startFront(settings, log, resolve, endings)
  if (sandbox !== null) banner.unshift(...sandboxBanner(publicUrl()))

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
