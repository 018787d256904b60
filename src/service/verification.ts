import type { Settings } from '../config.js'
import type { Secp256k1Engine, Secp256k1EngineName } from '../crypto/secp256k1.js'
import type { Degradation } from '../domain/degradation.js'
import type { Logger } from '../log.js'
import { OperatorError } from '../operator-error.js'
import { type ChosenEngine, chooseEngine } from '../verify/engine-choice.js'
import { BATCH_LIMIT, type VerifyObserver, VerifyPool } from '../verify/pool.js'
import { VerifyThreads } from '../verify/threads.js'
import type { KeyTableOptions } from '../verify/worker.js'

/** Maximum requests of registered keys that wait for verification. */
const REGISTERED_LANE_LIMIT = 8192
/**
 * The same for each thread: about a second's worth with either engine. A client is better served by an immediate 503
 * than by a wait until its timeout.
 */
const REGISTERED_LANE_LIMIT_PER_THREAD: Readonly<Record<Secp256k1EngineName, number>> = {
  libsecp256k1: 8192,
  noble: 512,
}
/** Maximum low-priority requests that wait, as a fraction of those of registered keys. */
const UNREGISTERED_LANE_PART = 1 / 16
/** Maximum bytes of requests that wait in each lane. */
const LANE_LIMIT_BYTES = 32 * 1024 * 1024
const TABLES_FAILED: Degradation = {
  reason: 'key_tables_off',
  text: 'Tables of keys failed and are off until the next start: see the log.',
}

/** The engine of the main thread and the pool of verification threads, which is not warmed up yet. */
export interface Verification {
  readonly engine: Secp256k1Engine
  readonly pool: VerifyPool
  /** One sentence for each part of verification that failed, though signatures are verified without it. */
  degradations(): readonly Degradation[]
}

/** Chooses the engine and starts the threads. Throws `OperatorError` if the configured engine does not run. */
export async function startVerification(
  settings: Settings,
  log: Logger,
  observer: VerifyObserver | undefined,
): Promise<Verification> {
  const { engine, reason } = await chosenEngine(settings)
  const keyTables = settings.keyTables === 0 ? null : await keyTablesOf(settings.keyTables, log)
  log.info(
    { engine: engine.name, threads: settings.verifyThreads, keyTables: keyTables?.limit ?? 0, reason },
    'verifying signatures',
  )
  let haveTablesFailed = false
  const registeredLaneLimit = Math.min(
    REGISTERED_LANE_LIMIT,
    REGISTERED_LANE_LIMIT_PER_THREAD[engine.name] * settings.verifyThreads,
  )
  const onWorkerError = (error: Error) => log.error({ err: error }, 'a verification thread failed')
  const pool = new VerifyPool(
    {
      threads: settings.verifyThreads,
      batchLimit: BATCH_LIMIT[engine.name],
      registeredLaneLimit,
      unregisteredLaneLimit: Math.ceil(registeredLaneLimit * UNREGISTERED_LANE_PART),
      laneLimitBytes: LANE_LIMIT_BYTES,
      onWorkerError,
      onTablesFailed: (reason) => {
        log.error({ reason }, 'tables of keys failed and are off until the next start')
        haveTablesFailed = true
        observer?.tablesFailed()
      },
      observer,
    },
    new VerifyThreads({ threads: settings.verifyThreads, engine: engine.name, keyTables, onError: onWorkerError }),
  )
  return { engine, pool, degradations: () => (haveTablesFailed ? [TABLES_FAILED] : []) }
}

/** Null, with a warning, where the code of the tables is damaged or does not run: then the engine verifies alone. */
async function keyTablesOf(limit: number, log: Logger): Promise<KeyTableOptions | null> {
  const { compileKeyTables } = await import('../verify/key-tables.js')
  try {
    return { code: await compileKeyTables(), limit }
  } catch (error) {
    log.warn({ err: error }, 'tables of keys do not run here; signatures are verified without them')
    return null
  }
}

async function chosenEngine(settings: Settings): Promise<ChosenEngine> {
  try {
    return await chooseEngine(settings.verifyEngine)
  } catch (error) {
    throw new OperatorError(
      `the ${settings.verifyEngine} signature engine does not run here: ${(error as Error).message}`,
    )
  }
}
