import type { Secp256k1EngineName } from '../../src/crypto/secp256k1.js'
import { BATCH_LIMIT, VerifyPool, type VerifyPoolSettings } from '../../src/verify/pool.js'
import { VerifyThreads, type VerifyThreadsSettings } from '../../src/verify/threads.js'

export type RealPoolSettings = Partial<VerifyPoolSettings & Omit<VerifyThreadsSettings, 'onError'>>

const LANES = { registeredLaneLimit: 10_000, unregisteredLaneLimit: 10_000, laneLimitBytes: 64 * 1024 * 1024 }

/** A pool with real threads: one, of noble, without key tables, unless the settings say otherwise. */
export function startVerifyPool(settings: RealPoolSettings = {}): VerifyPool {
  const engine: Secp256k1EngineName = settings.engine ?? 'noble'
  const onWorkerError = settings.onWorkerError ?? (() => {})
  const all = { threads: 1, engine, keyTables: null, ...LANES, batchLimit: BATCH_LIMIT[engine], ...settings }
  return new VerifyPool(
    { onTablesFailed: () => {}, ...all, onWorkerError },
    new VerifyThreads({ ...all, onError: onWorkerError }),
  )
}
