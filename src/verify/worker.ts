/** What runs in each thread of the verify pool: a batch in, its verdicts out. */

import { workerData } from 'node:worker_threads'
import type { Secp256k1EngineName } from '../crypto/secp256k1.js'
import { loadEngine } from './engine-choice.js'
import { Verifier } from './verifier.js'
import { verifyBatch } from './wire.js'

/** What the pool hands to every thread when it starts. */
export interface VerifyWorkerData {
  readonly engine: Secp256k1EngineName
  /** Keys that may have a table, at most. */
  readonly keyTables: number
}

let verifier: Verifier | undefined

/**
 * The handler of Piscina. The engine is loaded by the first batch, the pool's warm-up, so that a machine on which it
 * does not load says so in a rejected promise and not in a worker that dies and is started again for ever.
 */
export default async function verify(batch: ArrayBuffer): Promise<unknown> {
  const { engine, keyTables } = workerData as VerifyWorkerData
  verifier ??= new Verifier(await loadEngine(engine), keyTables)
  return verifyBatch(batch, verifier)
}
