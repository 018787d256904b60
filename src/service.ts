import { Intake } from './actors/intake.js'
import { WalletDirectory } from './actors/wallet-directory.js'
import { SignedRequests } from './auth/signed-request.js'
import type { Clock } from './clock.js'
import type { Settings } from './config.js'
import { type ChosenEngine, chooseEngine } from './crypto/choose-engine.js'
import { randomSecretHex } from './crypto/hmac.js'
import { createIdGenerator, randomKeyId } from './crypto/id.js'
import { createPooledRandom } from './crypto/random.js'
import { createVerifyPool } from './crypto/verify-pool.js'
import type { TokenDecimals } from './domain/network.js'
import { chooseServer } from './http/choose-server.js'
import { requestLog } from './http/request-log.js'
import { createRouter, type Route } from './http/router.js'
import { apiKeyRoutes } from './http/routes/api-keys.js'
import { healthRoutes } from './http/routes/health.js'
import { identityRoutes } from './http/routes/identities.js'
import { internalEventsRoutes } from './http/routes/internal-events.js'
import { invoiceRoutes } from './http/routes/invoices.js'
import { paymentPageRoutes } from './http/routes/pay.js'
import { sandboxRoutes } from './http/routes/sandbox.js'
import { walletRoutes } from './http/routes/wallets.js'
import { webhookConfigurationRoutes } from './http/routes/webhook-configuration.js'
import type { HttpServer, Resolve } from './http/server.js'
import { answeringUnavailable } from './http/unavailable.js'
import { createLedgerClient } from './ledger/ledger-client.js'
import type { Logger } from './log.js'
import { sandboxBanner } from './sandbox/banner.js'
import { createSandbox } from './sandbox/sandbox.js'
import { assertDirectoryFits } from './sandbox/sandbox-directory.js'
import { StartError } from './start-error.js'
import { openLmdbStore } from './store/lmdb/lmdb-store.js'
import { createAddressGuard } from './webhooks/address-guard.js'
import { createDispatcher } from './webhooks/dispatcher.js'
import { createSender } from './webhooks/sender.js'

/** Requests of registered keys that may wait for verification. */
const REGISTERED_LANE_LIMIT = 8192
/** Requests of unregistered keys that may wait for verification. */
const UNREGISTERED_LANE_LIMIT = 512
/** Bytes of requests that may wait in each lane. */
const LANE_LIMIT_BYTES = 32 * 1024 * 1024
/** Connections held at once. */
const CONNECTION_LIMIT = 16_384
/** From a request's first byte to its last. */
const REQUEST_TIMEOUT_MS = 20_000
/** Between two requests on a connection. */
const IDLE_TIMEOUT_MS = 60_000
/** Of the ledger's answer that is read. */
const LEDGER_ANSWER_LIMIT_BYTES = 1024 * 1024

/** The service while it runs. */
export interface Service {
  /** The address listened on. */
  readonly url: string
  /** Lines for the operator, printed before the ready line. */
  readonly banner: readonly string[]
  /** Stops accepting, finishes what was accepted, flushes and closes. */
  stop(): Promise<void>
}

/**
 * What ends the parts that have been started, in the order of their start. Ending goes the other way, from the outside
 * in: what has been accepted still finds everything that it needs.
 */
type Endings = (() => void | Promise<void>)[]

/**
 * Builds the parts, in the order in which they need each other, and starts them. What the operator can mend is thrown as
 * `StartError`; whatever was started before is ended again.
 */
export async function startService(settings: Settings, log: Logger, clock: Clock): Promise<Service> {
  const endings: Endings = []
  try {
    return await start(settings, log, clock, endings)
  } catch (error) {
    await endAll(endings)
    throw error
  }
}

async function endAll(endings: Endings): Promise<void> {
  for (let end = endings.pop(); end !== undefined; end = endings.pop()) await end()
}

async function start(settings: Settings, log: Logger, clock: Clock, endings: Endings): Promise<Service> {
  assertDirectoryFits(settings.dataDirectory, settings.sandbox)
  const tokenDecimals: TokenDecimals = {
    SEP: settings.sepTokenDecimals,
    'TRX-NILE': settings.trxNileTokenDecimals,
  }
  const random = createPooledRandom()
  const ids = createIdGenerator(random)
  const store = await openLmdbStore({
    directory: settings.dataDirectory,
    clock,
    tokenDecimals,
    newId: (nowMs) => ids.next(nowMs),
    randomKeyId: () => randomKeyId(random),
    randomSecretHex: () => randomSecretHex(random),
  })
  endings.push(() => store.close())

  const { engine, reason } = await chosenEngine(settings)
  log.info({ engine: engine.name, threads: settings.verifyThreads, reason }, 'verifying signatures')
  const pool = createVerifyPool({
    threads: settings.verifyThreads,
    engine: engine.name,
    registeredLaneLimit: REGISTERED_LANE_LIMIT,
    unregisteredLaneLimit: UNREGISTERED_LANE_LIMIT,
    laneLimitBytes: LANE_LIMIT_BYTES,
    onWorkerError: (error) => log.error({ err: error }, 'a verification thread failed'),
  })
  endings.push(() => pool.close())
  await pool.warmUp()

  const sender = createSender({
    guard: createAddressGuard({ allowAll: isLoopback(settings.host), allow: settings.callbackAllow }),
  })
  endings.push(() => sender.close())
  const dispatcher = createDispatcher({
    store,
    sender,
    clock,
    log,
    concurrency: settings.webhookConcurrency,
    concurrencyPerDestination: settings.webhookConcurrencyPerDestination,
  })
  endings.push(() => dispatcher.stop())
  await dispatcher.start()

  const directory = new WalletDirectory(store)
  endings.push(() => directory.idle())
  const intake = new Intake(store, directory, (owed) => dispatcher.notify(owed))

  // The address that clients use is known for sure only when the server listens.
  let listeningUrl = ''
  const publicUrl = () => settings.publicUrl ?? listeningUrl
  const sandbox = settings.sandbox
    ? await createSandbox({
        store,
        intake,
        engine,
        clock,
        log,
        tokenDecimals,
        publicUrl,
        dataDirectory: settings.dataDirectory,
      })
    : null
  if (sandbox !== null) endings.push(() => sandbox.close())
  const ledger = ledgerOf(settings)
  if (ledger !== null) endings.push(() => ledger.close())

  let isDraining = false
  const routes: Route[] = [
    ...invoiceRoutes({ store, directory, signedRequests: new SignedRequests(store, pool, clock) }),
    ...apiKeyRoutes(store, engine),
    ...webhookConfigurationRoutes(store),
    ...walletRoutes(store, settings.walletLeaseSeconds * 1000),
    ...identityRoutes(store, ledger),
    ...internalEventsRoutes({ secret: settings.gatewaySecret ?? null, intake, clock }),
    ...paymentPageRoutes({ store, isSandbox: sandbox !== null }),
    ...healthRoutes({
      isStoreOpen: () => store.isOpen(),
      isPoolReady: () => pool.ready(),
      isDraining: () => isDraining,
    }),
    ...(sandbox === null ? [] : sandboxRoutes(sandbox)),
  ]
  const resolve = createRouter(
    answeringUnavailable(routes, (error) => log.warn({ err: error }, 'request refused for now')),
    {
      ...requestLog(log),
      ...(settings.corsOrigins.length === 0 ? {} : { cors: { origins: settings.corsOrigins } }),
    },
  )
  const server = await createServer(settings, log, resolve)
  const address = await listen(server, settings)
  endings.push(() => server.drain())
  listeningUrl = `http://${address.host.includes(':') ? `[${address.host}]` : address.host}:${address.port}`

  return {
    url: listeningUrl,
    banner: sandbox === null ? [] : sandboxBanner(publicUrl()),
    stop: () => {
      isDraining = true
      return endAll(endings)
    },
  }
}

async function createServer(settings: Settings, log: Logger, resolve: Resolve): Promise<HttpServer> {
  const chosen = await chooseServer(settings.httpServer).catch((error: unknown) => {
    throw new StartError((error as Error).message)
  })
  log.info({ server: chosen.name, reason: chosen.reason }, 'serving HTTP')
  return chosen.create(
    resolve,
    {
      host: settings.host,
      port: settings.port,
      connectionLimit: CONNECTION_LIMIT,
      requestTimeoutMs: REQUEST_TIMEOUT_MS,
      idleTimeoutMs: IDLE_TIMEOUT_MS,
    },
    (error) => log.error({ err: error }, 'the HTTP server failed on a request'),
  )
}

async function chosenEngine(settings: Settings): Promise<ChosenEngine> {
  try {
    return await chooseEngine(settings.verifyEngine)
  } catch (error) {
    throw new StartError(`the ${settings.verifyEngine} signature engine does not run here: ${(error as Error).message}`)
  }
}

async function listen(server: HttpServer, settings: Settings): Promise<{ host: string; port: number }> {
  try {
    return await server.listen()
  } catch (error) {
    throw new StartError(`cannot listen on ${settings.host}:${settings.port}: ${(error as Error).message}`)
  }
}

function ledgerOf(settings: Settings) {
  if (settings.ledgerUrls.length === 0) return null
  return createLedgerClient({
    urls: settings.ledgerUrls,
    timeoutMs: settings.ledgerTimeoutMs,
    answerLimitBytes: LEDGER_ANSWER_LIMIT_BYTES,
  })
}

/** Whether only this machine can reach the service: then webhooks may go to this machine and its networks too (decisions 7). */
function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || host.startsWith('127.')
}
