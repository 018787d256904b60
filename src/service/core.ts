import { Intake } from '../actors/intake.js'
import { WalletDirectory } from '../actors/wallet-directory.js'
import type { Clock } from '../clock.js'
import type { Settings } from '../config.js'
import { type ChosenEngine, chooseEngine } from '../crypto/choose-engine.js'
import { randomSecretHex } from '../crypto/hmac.js'
import { createIdGenerator, randomKeyId } from '../crypto/id.js'
import { createPooledRandom } from '../crypto/random.js'
import type { Secp256k1Engine, Secp256k1EngineName } from '../crypto/secp256k1.js'
import { createVerifyPool, type VerifyPool } from '../crypto/verify-pool.js'
import type { TokenDecimals } from '../domain/network.js'
import type { Logger } from '../log.js'
import type { Metrics } from '../metrics/metrics.js'
import { StartError } from '../start-error.js'
import { openLmdbStore } from '../store/lmdb/lmdb-store.js'
import type { Store } from '../store/store.js'
import { createAddressGuard } from '../webhooks/address-guard.js'
import { createDispatcher, type Dispatcher } from '../webhooks/dispatcher.js'
import { createSender } from '../webhooks/sender.js'
import type { Endings } from './endings.js'
import { isLoopback } from './loopback.js'

/** Requests of registered keys that may wait for verification. */
const REGISTERED_LANE_LIMIT = 8192
/**
 * The same for each thread: about a second's worth with either engine. Whoever is told to come back at once is better off
 * than who waits until giving up.
 */
const REGISTERED_LANE_LIMIT_PER_THREAD: Readonly<Record<Secp256k1EngineName, number>> = {
  libsecp256k1: 8192,
  noble: 512,
}
/** Requests without priority that may wait, as a part of those of registered keys. */
const UNREGISTERED_LANE_PART = 1 / 16
/** Bytes of requests that may wait in each lane. */
const LANE_LIMIT_BYTES = 32 * 1024 * 1024

/** The parts that do the work, whoever asks for it. */
export interface Core {
  readonly store: Store
  readonly engine: Secp256k1Engine
  readonly pool: VerifyPool
  readonly directory: WalletDirectory
  readonly dispatcher: Dispatcher
  readonly intake: Intake
  readonly tokenDecimals: TokenDecimals
}

/** What the parts are made with. */
export interface CoreContext {
  readonly settings: Settings
  readonly log: Logger
  readonly clock: Clock
  /** Null when metrics are off. */
  readonly metrics: Metrics | null
  readonly endings: Endings
}

/** Opens the store and starts the verification threads, the dispatcher and the wallet actors. */
export async function startCore({ settings, log, clock, metrics, endings }: CoreContext): Promise<Core> {
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
    ...(metrics === null ? {} : { commitObserver: metrics.commits }),
  })
  endings.add('store', () => store.close())

  const { engine, reason } = await chosenEngine(settings)
  log.info({ engine: engine.name, threads: settings.verifyThreads, reason }, 'verifying signatures')
  const registeredLaneLimit = Math.min(
    REGISTERED_LANE_LIMIT,
    REGISTERED_LANE_LIMIT_PER_THREAD[engine.name] * settings.verifyThreads,
  )
  const pool = createVerifyPool({
    threads: settings.verifyThreads,
    engine: engine.name,
    registeredLaneLimit,
    unregisteredLaneLimit: Math.ceil(registeredLaneLimit * UNREGISTERED_LANE_PART),
    laneLimitBytes: LANE_LIMIT_BYTES,
    onWorkerError: (error) => log.error({ err: error }, 'a verification thread failed'),
    ...(metrics === null ? {} : { observer: metrics.verifications }),
  })
  endings.add('verification', () => pool.close())
  await pool.warmUp()

  const sender = createSender({
    guard: createAddressGuard({ allowAll: isLoopback(settings.host), allow: settings.callbackAllow }),
    clock,
  })
  endings.add('webhook connections', () => sender.close())
  const dispatcher = createDispatcher({
    store,
    sender,
    clock,
    log,
    concurrency: settings.webhookConcurrency,
    concurrencyPerDestination: settings.webhookConcurrencyPerDestination,
    retry: { attemptsMax: settings.webhookAttempts, random: () => Math.random() },
    ...(metrics === null ? {} : { observer: metrics.attempts }),
  })
  endings.add('webhooks', () => dispatcher.stop())
  await dispatcher.start()

  const directory = new WalletDirectory(store)
  endings.add('wallets', () => directory.idle())
  const intake = new Intake(store, directory, (owed) => dispatcher.notify(owed), metrics?.intake)
  return { store, engine, pool, directory, dispatcher, intake, tokenDecimals }
}

async function chosenEngine(settings: Settings): Promise<ChosenEngine> {
  try {
    return await chooseEngine(settings.verifyEngine)
  } catch (error) {
    throw new StartError(`the ${settings.verifyEngine} signature engine does not run here: ${(error as Error).message}`)
  }
}
