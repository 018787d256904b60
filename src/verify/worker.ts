/** Runs in each thread of the verify pool: takes a batch, and answers with its verdicts. */

import { workerData } from 'node:worker_threads'
import type { Secp256k1EngineName } from '../crypto/secp256k1.js'
import { loadEngine } from './engine-choice.js'
import { type BatchVerifier, engineVerifier, verifyBatch } from './wire.js'

/** Tables of keys: their compiled code, and how many keys may have one in each thread, at least 1. */
export interface KeyTableOptions {
  readonly code: WebAssembly.Module
  readonly limit: number
}

/** What the pool hands to every thread when it starts. */
export interface VerifyWorkerData {
  readonly engine: Secp256k1EngineName
  /** Null for verification by the engine alone: then none of the tables' code is loaded. */
  readonly keyTables: KeyTableOptions | null
}

let verifier: BatchVerifier | undefined

/**
 * The handler of Piscina. The first batch, which is the pool's warm-up, loads the engine: where that fails, a promise
 * rejects, instead of a worker that dies and is started again for ever.
 */
export default async function verify(batch: ArrayBuffer): Promise<unknown> {
  verifier ??= await startVerifier(workerData as VerifyWorkerData)
  return verifyBatch(batch, verifier)
}

async function startVerifier({ engine: name, keyTables }: VerifyWorkerData): Promise<BatchVerifier> {
  const engine = await loadEngine(name)
  if (keyTables === null) return engineVerifier(engine)
  const { TableVerifier } = await import('./table-verifier.js')
  return new TableVerifier(engine, keyTables.code, keyTables.limit)
}
