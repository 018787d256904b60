import { type ConsoleParts, consoleHandlers } from '../console/console.js'
import { consoleFailurePages } from '../console/failure-pages.js'
import { handlers, together } from '../http/endpoints.js'
import { guardedRoutes } from '../http/guards.js'
import { BASE_HEADERS } from '../http/json.js'
import { NodeServer } from '../http/node/server.js'
import { createRouter } from '../http/router.js'
import type { Logger } from '../log.js'
import { History } from '../metrics/history.js'
import type { Metrics } from '../metrics/metrics.js'
import { systemScheduler } from '../scheduler.js'
import { type ConsoleShown, consolePartsOf } from './console.js'
import type { Core } from './core.js'
import type { CoreContext } from './core-context.js'
import { operationsGuard } from './door.js'
import { authorityOf, drain, LIMITS, type ListenAddress, listen } from './listeners.js'
import type { Shutdown } from './shutdown.js'

/** Maximum number of connections to the operator's own listener; a browser keeps six. Beyond, those that only wait are closed for new ones. */
const CONNECTION_LIMIT = 32
/** How many of them may have long answers: lists whose readers have stopped must not keep an operator out. */
const STREAM_LIMIT = CONNECTION_LIMIT / 2

/** What the operator's own listener shows. */
type Shown = Omit<ConsoleShown, 'condition'> & { readonly condition: Omit<ConsoleShown['condition'], 'samples'> }

/** Starts the operator's own listener: `/metrics`, and the console where it may be. Returns lines for the operator. */
export async function startOperations(
  core: Core,
  context: CoreContext,
  metrics: Metrics,
  shown: Shown,
): Promise<readonly string[]> {
  const { settings, log, clock, shutdown } = context
  const history = new History({ totals: metrics.totals, clock, scheduler: systemScheduler })
  shutdown.add('history', () => history.stop())
  history.start()
  const samples = () => history.samples
  const console = consolePartsOf(core, context, { ...shown, condition: { ...shown.condition, samples } })
  const wanted = { host: settings.metricsHost, port: settings.metricsPort ?? 0 }
  const url = await startFront({ metrics, console, wanted, log, shutdown })
  return [`metrics on ${url}/metrics`, ...(console === null ? [] : [`console on ${url}/console`])]
}

interface FrontParts {
  readonly metrics: Metrics
  /** Null if there is no console. */
  readonly console: ConsoleParts | null
  readonly wanted: ListenAddress
  readonly log: Logger
  readonly shutdown: Shutdown
}

/** Listens, and returns the URL. There are few requests, so it uses the server that runs everywhere. */
async function startFront({ metrics, console, wanted, log, shutdown }: FrontParts): Promise<string> {
  const headers = { 'Content-Type': metrics.contentType, 'Cache-Control': 'no-store', ...BASE_HEADERS }
  const shown = handlers({ 'GET /metrics': async () => ({ status: 200, headers, body: await metrics.text() }) })
  const all = console === null ? shown : together(shown, consoleHandlers(console))
  const routes = guardedRoutes(all, { browsers: null, claimRate: null, access: null })
  const host = operationsGuard(wanted.host, console?.hosts ?? [])
  const resolve = createRouter(routes, {
    onError: (error, { requestId, path }) => log.error({ err: error, requestId, path }, 'operations request failed'),
    admit: host === null ? [] : [host],
    ...(console === null ? {} : { present: consoleFailurePages(console.isSandbox) }),
  })
  const limits = { connectionLimit: CONNECTION_LIMIT, yieldsWaiting: true, streamLimit: STREAM_LIMIT, ...LIMITS }
  const server = new NodeServer(resolve, { ...wanted, ...limits }, (error) =>
    log.error({ err: error }, 'the operations listener failed on a request'),
  )
  const address = await listen(server, wanted)
  shutdown.add('operations', () => drain(server))
  return `http://${authorityOf(address)}`
}
