/**
 * The worker threads of the verify pool, by Piscina: a batch in, what the worker answered out. A thread that dies is
 * replaced by Piscina; threads that neither die nor answer are replaced here.
 */

import { fileURLToPath } from 'node:url'
import { Piscina } from 'piscina'
import type { Secp256k1EngineName } from '../crypto/secp256k1.js'
import type { KeyTableOptions, VerifyWorkerData } from './worker.js'

/**
 * Verifying leaves nothing behind but short-lived numbers, and a nursery that fits the processor's cache is as fast as a
 * large one. Without it V8 lets the nursery of each thread grow to 48 MiB.
 */
const NURSERY_MIB = 6

export interface VerifyThreadsSettings {
  readonly threads: number
  readonly batchesPerThread: number
  readonly engine: Secp256k1EngineName
  /** Null for verification by the engine alone. */
  readonly keyTables: KeyTableOptions | null
  readonly batchTimeLimitMs: number
  readonly worker: URL
  /** Told of a thread that failed while it had nothing to do, which no promise would show. */
  readonly onError: (error: Error) => void
}

export class VerifyThreads {
  readonly #settings: VerifyThreadsSettings
  #piscina: Piscina<ArrayBuffer, unknown>

  constructor(settings: VerifyThreadsSettings) {
    this.#settings = settings
    this.#piscina = this.#start()
  }

  /**
   * Transfers the batch to the least busy thread. Rejects when the worker throws, dies, or exceeds the time limit;
   * then all threads are replaced, because a thread that cannot start leaves its batch waiting without any event.
   */
  run(batch: ArrayBuffer): Promise<unknown> {
    const piscina = this.#piscina
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        reject(new Error(`A verify batch took longer than ${this.#settings.batchTimeLimitMs} ms.`))
        this.#restart(piscina)
      }, this.#settings.batchTimeLimitMs)
      piscina
        .run(batch, { transferList: [batch] })
        .then(resolve, reject)
        .finally(() => clearTimeout(timer))
    })
  }

  /** Ends the threads. What they were working on is rejected. */
  close(): Promise<void> {
    return this.#piscina.destroy()
  }

  #start(): Piscina<ArrayBuffer, unknown> {
    const { threads, batchesPerThread, engine, keyTables, worker, onError } = this.#settings
    const workerData: VerifyWorkerData = { engine, keyTables }
    const piscina = new Piscina<ArrayBuffer, unknown>({
      filename: fileURLToPath(worker),
      workerData,
      minThreads: threads,
      maxThreads: threads,
      concurrentTasksPerWorker: batchesPerThread,
      idleTimeout: Number.POSITIVE_INFINITY,
      atomics: 'sync',
      recordTiming: false,
      resourceLimits: { maxYoungGenerationSizeMb: NURSERY_MIB },
    })
    piscina.on('error', onError)
    return piscina
  }

  /** Several batches may time out together; only the first one's threads are still the present ones. */
  #restart(failed: Piscina<ArrayBuffer, unknown>): void {
    if (this.#piscina !== failed) return
    this.#piscina = this.#start()
    failed.destroy().catch(this.#settings.onError)
  }
}
