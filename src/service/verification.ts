import type { Settings } from '../config.js'
import type { Secp256k1Engine, Secp256k1EngineName } from '../crypto/secp256k1.js'
import type { Logger } from '../log.js'
import { StartError } from '../start-error.js'
import { type ChosenEngine, chooseEngine } from '../verify/engine-choice.js'
import { canHaveKeyTables } from '../verify/key-tables.js'
import { createVerifyPool, type VerifyObserver, type VerifyPool } from '../verify/pool.js'

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

/** What verifies signatures: the engine here and the pool of threads, which has yet to be warmed up. */
export interface Verification {
  readonly engine: Secp256k1Engine
  readonly pool: VerifyPool
}

/** Chooses the engine and starts the threads. Throws `StartError` when the engine that was asked for does not run. */
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
