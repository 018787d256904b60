import { createServer } from 'node:net'
import type { Settings } from '../config.js'
import { type CertificateFiles, UnusableCertificate } from '../http/certificate.js'
import { chooseServer } from '../http/choose-server.js'
import { connectionClient } from '../http/guards/client-address.js'
import type { HttpServer, HttpServerClass, Resolve } from '../http/server.js'
import type { Logger } from '../log.js'
import { LogThrottle } from '../log-throttle.js'
import { OperatorError } from '../operator-error.js'
import { ServedCertificate } from './certificate.js'
import type { CoreContext } from './core-context.js'
import { type DescriptorPlan, planDescriptors } from './descriptors.js'

/** Pause between two log lines about refused connections. */
const REFUSALS_LOG_INTERVAL_MS = 60_000
/** Maximum bytes of unfinished bodies, of all clients together. */
const UNFINISHED_BODIES_LIMIT_BYTES = 32 * 1024 * 1024
/** Maximum bytes of long answers that clients have not taken, of all clients together. */
const UNREAD_ANSWERS_LIMIT_BYTES = 64 * 1024 * 1024
export const LIMITS = {
  unreadAnswersLimitBytes: UNREAD_ANSWERS_LIMIT_BYTES,
  unfinishedBodiesLimitBytes: UNFINISHED_BODIES_LIMIT_BYTES,
  /** Maximum time from a request's first byte to its last. */
  requestTimeoutMs: 20_000,
  /** Maximum time between two requests on a connection. */
  idleTimeoutMs: 60_000,
}
/** Maximum time for requests in progress when the service stops; then their connections are cut. */
const DRAIN_REQUESTS_MS = 5000

/** Why nothing can listen, by the code of the system's error. */
const LISTEN_FAILURES: Readonly<Record<string, string>> = {
  EADDRINUSE: 'another program uses the port',
  EADDRNOTAVAIL: 'this machine does not have the address',
  EACCES: 'the port is reserved for the superuser',
  ENOTFOUND: 'the host name is unknown',
  EAI_AGAIN: 'the host name cannot be looked up at the moment',
}

export interface ListenAddress {
  readonly host: string
  readonly port: number
}

/** The front that clients reach. */
export interface StartedFront {
  readonly url: string
  readonly certificate: ServedCertificate
}

/** Starts the HTTP or HTTPS front. */
export async function startFront(
  { settings, log, clock, shutdown }: Pick<CoreContext, 'settings' | 'log' | 'clock' | 'shutdown'>,
  resolve: Resolve,
): Promise<StartedFront> {
  const chosen = await chooseServer(settings.httpServer).catch((error: unknown) => {
    throw new OperatorError((error as Error).message)
  })
  if (chosen.isSuspicious === true) log.error({ reason: chosen.reason }, 'falling back to another HTTP server')
  log.info({ server: chosen.name, reason: chosen.reason }, 'serving HTTP')
  const { host, port } = settings
  const plan = planDescriptors(settings.webhookConcurrency)
  if (plan.isShort) log.warn({ ...plan }, 'the limit of open files leaves room for fewer connections or webhooks')
  const certificate = certificateFiles(settings)
  const server = build(
    chosen.Server,
    resolve,
    {
      ...(certificate === null ? {} : { certificate }),
      host,
      port,
      connectionLimit: plan.connections,
      share: { perClient: plan.connectionsPerClient, clientOf: connectionClient(settings.trustedProxies) },
      onRefusedConnection: refusalLog(log, plan),
      ...LIMITS,
    },
    (error) => log.error({ err: error }, 'the HTTP server failed on a request'),
  )
  const address = await listen(server, { host, port })
  shutdown.add('requests', () => drain(server))
  const scheme = certificate === null ? 'http' : 'https'
  return { url: `${scheme}://${authorityOf(address)}`, certificate: new ServedCertificate(server, log, clock) }
}

/** Null without HTTPS. The settings ask for both files or none. */
function certificateFiles({ tlsCert, tlsKey }: Settings): CertificateFiles | null {
  return tlsCert === undefined || tlsKey === undefined ? null : { certificate: tlsCert, key: tlsKey }
}

function build(Server: HttpServerClass, ...parts: ConstructorParameters<HttpServerClass>): HttpServer {
  try {
    return new Server(...parts)
  } catch (error) {
    throw error instanceof UnusableCertificate ? new OperatorError(error.message) : error
  }
}

/** Logs refused connections at most once a minute. */
function refusalLog(log: Logger, { connections, connectionsPerClient }: DescriptorPlan) {
  const throttle = new LogThrottle(REFUSALS_LOG_INTERVAL_MS)
  return (why: 'limit' | 'share'): void => {
    const withheld = throttle.next()
    if (withheld === null) return
    log.warn({ why, refused: withheld + 1, connections, connectionsPerClient }, 'connections are refused')
  }
}

/** A client that dribbles its request must not keep the service from stopping in time. */
export async function drain(server: HttpServer): Promise<void> {
  const cutting = setTimeout(() => server.close(), DRAIN_REQUESTS_MS)
  await server.drain()
  clearTimeout(cutting)
}

export function authorityOf({ host, port }: ListenAddress): string {
  return `${host.includes(':') ? `[${host}]` : host}:${port}`
}

export async function listen(server: HttpServer, wanted: ListenAddress): Promise<ListenAddress> {
  try {
    return await server.listen()
  } catch (error) {
    const cause = await causeOfListenFailure(wanted, (error as Error).message)
    throw new OperatorError(`cannot listen on ${authorityOf(wanted)}: ${cause}`)
  }
}

/**
 * Why nothing can listen on an address, as text. Not every server reports the reason, so a `node:net` server tries again.
 * `fallback` is the first server's message, in case the second attempt works.
 */
async function causeOfListenFailure({ host, port }: ListenAddress, fallback: string): Promise<string> {
  const error = await new Promise<NodeJS.ErrnoException | null>((resolve) => {
    const probe = createServer().once('error', resolve)
    probe.listen({ host, port, exclusive: true }, () => probe.close(() => resolve(null)))
  })
  if (error === null) return fallback
  return LISTEN_FAILURES[error.code ?? ''] ?? error.message
}
