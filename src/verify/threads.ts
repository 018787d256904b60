/**
 * The worker threads of the verify pool, by Piscina. Piscina replaces a thread that dies; threads that neither die nor answer
 * are replaced here.
 */

import { fileURLToPath } from 'node:url'
import { Piscina } from 'piscina'
import { VERIFY_WORKER } from '../program-files.js'
import { BATCHES_PER_THREAD, type BatchThreads } from './pool.js'
import type { VerifyWorkerData } from './worker.js'

/**
 * Verification leaves only short-lived numbers behind, and a nursery that fits the processor's cache is as fast as a large
 * one. Without this limit, V8 lets the nursery of each thread grow to 48 MiB.
 */
const NURSERY_MIB = 6
/** Thousands of times what a batch takes: only threads that are stuck or cannot start exceed it. */
const BATCH_TIME_LIMIT_MS = 10_000

export interface VerifyThreadsSettings extends VerifyWorkerData {
  readonly threads: number
  /** Called when a thread fails while it has nothing to do, which no promise would show. */
  readonly onError: (error: Error) => void
  /** A batch that takes longer is given up and all threads are replaced; tests have their own limit. */
  readonly batchTimeLimitMs?: number
  /** The worker's file; tests have their own. */
  readonly worker?: URL
}

export class VerifyThreads implements BatchThreads {
  private readonly batchTimeLimitMs: number
  private piscina: Piscina<ArrayBuffer, unknown>

  /** Starts the threads. */
  constructor(private readonly settings: VerifyThreadsSettings) {
    this.batchTimeLimitMs = settings.batchTimeLimitMs ?? BATCH_TIME_LIMIT_MS
    this.piscina = this.start()
  }

  /**
   * Transfers the batch to the least busy thread. Rejects when the worker throws, dies, or exceeds the time limit; then all
   * threads are replaced, because a thread that cannot start leaves its batch waiting without any event.
   */
  run(batch: ArrayBuffer): Promise<unknown> {
    const { piscina, batchTimeLimitMs } = this
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        reject(new Error(`a verify batch took longer than ${batchTimeLimitMs} ms`))
        this.restart(piscina)
      }, batchTimeLimitMs)
      piscina
        .run(batch, { transferList: [batch] })
        .then(resolve, reject)
        .finally(() => clearTimeout(timer))
    })
  }

  close(): Promise<void> {
    return this.piscina.destroy()
  }

  private start(): Piscina<ArrayBuffer, unknown> {
    const { threads, engine, keyTables, worker = VERIFY_WORKER, onError } = this.settings
    const workerData: VerifyWorkerData = { engine, keyTables }
    const piscina = new Piscina<ArrayBuffer, unknown>({
      filename: fileURLToPath(worker),
      workerData,
      minThreads: threads,
      maxThreads: threads,
      concurrentTasksPerWorker: BATCHES_PER_THREAD,
      idleTimeout: Number.POSITIVE_INFINITY,
      atomics: 'sync',
      recordTiming: false,
      resourceLimits: { maxYoungGenerationSizeMb: NURSERY_MIB },
    })
    piscina.on('error', onError)
    return piscina
  }

  /** Several batches may time out together; only the first finds its threads still in use. */
  private restart(failed: Piscina<ArrayBuffer, unknown>): void {
    if (this.piscina !== failed) return
    this.piscina = this.start()
    failed.destroy().catch(this.settings.onError)
  }
}
