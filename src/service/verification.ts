import type { Settings } from '../config.js'
import type { Secp256k1Engine, Secp256k1EngineName } from '../crypto/secp256k1.js'
import type { Logger } from '../log.js'
import { StartError } from '../start-error.js'
import { type ChosenEngine, chooseEngine } from '../verify/engine-choice.js'
import { canHaveKeyTables } from '../verify/key-tables.js'
import { createVerifyPool, type VerifyObserver, type VerifyPool } from '../verify/pool.js'

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

/** The engine of the main thread and the pool of verification threads, which is not warmed up yet. */
export interface Verification {
  readonly engine: Secp256k1Engine
  readonly pool: VerifyPool
}

/** Chooses the engine and starts the threads. Throws `StartError` if the configured engine does not run. */
export async function startVerification(
  settings: Settings,
  log: Logger,
  observer: VerifyObserver | undefined,
): Promise<Verification> {
  const { engine, reason } = await chosenEngine(settings)
  const keyTables = canHaveKeyTables() ? settings.keyTables : 0
  log.info({ engine: engine.name, threads: settings.verifyThreads, keyTables, reason }, 'verifying signatures')
  const registeredLaneLimit = Math.min(
    REGISTERED_LANE_LIMIT,
    REGISTERED_LANE_LIMIT_PER_THREAD[engine.name] * settings.verifyThreads,
  )
  const pool = createVerifyPool({
    threads: settings.verifyThreads,
    engine: engine.name,
    keyTables,
    registeredLaneLimit,
    unregisteredLaneLimit: Math.ceil(registeredLaneLimit * UNREGISTERED_LANE_PART),
    laneLimitBytes: LANE_LIMIT_BYTES,
    onWorkerError: (error) => log.error({ err: error }, 'a verification thread failed'),
    ...(observer === undefined ? {} : { observer }),
  })
  return { engine, pool }
}

async function chosenEngine(settings: Settings): Promise<ChosenEngine> {
  try {
    return await chooseEngine(settings.verifyEngine)
  } catch (error) {
    throw new StartError(`the ${settings.verifyEngine} signature engine does not run here: ${(error as Error).message}`)
  }
}
