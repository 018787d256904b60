/**
 * The verify pool: requests gather in bounded lanes, and whenever a thread is free everything that has gathered goes to
 * it as one batch. Who has priority, and what is left for the others, stands in `VerifyLanes`.
 *
 * ```
 * verify() ──► registered   lane ─┐                      ┌─ thread ─┐
 *         └──► suspected    lane ─┤                      │          │
 * verify() ──► unregistered lane ─┴─ next batch, ≤ limit ┼─ thread ─┼─► one verdict each
 *                                  ▲                     └─ thread ─┘        │
 *                                  └────────── a batch is answered ──────────┘
 * ```
 */

import { base64Length } from '../crypto/base64.js'
import { MAX_DER_SIGNATURE_BYTES } from '../crypto/der.js'
import { PUBLIC_KEY_BYTES, type Secp256k1EngineName } from '../crypto/secp256k1.js'
import { assertKnownVerdicts, encodeKnownBatch } from './known-answer.js'
import { type Chosen, type TurnedAway, type VerifyLaneName, VerifyLanes, type VerifyLanesSettings } from './lanes.js'
import type { WaitingRequest } from './priority-queue.js'
import { VerifyThreads } from './threads.js'
import { encodeBatch, readAnswer, type VerifyRequest } from './wire.js'
import type { KeyTableOptions } from './worker.js'

/** Measures verification. It is called for each request, so it must be quick, and must not throw. */
export interface VerifyObserver {
  /** A request has waited that long in its lane. What lost its priority counts as `unregistered`. */
  waited(lane: VerifyLaneName, waitMs: number): void
  /** A thread dropped its tables of keys because they failed. */
  tablesFailed(): void
}

/** What is with the threads, at most 2 × `batchLimit` for each, comes on top of the limits of the lanes. */
export interface VerifyPoolSettings extends VerifyLanesSettings {
  readonly engine: Secp256k1EngineName
  /** Tables of keys, 148 KiB each, in every thread. Null or absent for verification by the engine alone. */
  readonly keyTables?: KeyTableOptions | null
  /** Requests in one batch, at least 2. Without it, `DEFAULT_BATCH_LIMIT` of the engine. */
  readonly batchLimit?: number
  /** A batch that takes longer is given up and its threads are replaced. Without it, `DEFAULT_BATCH_TIME_LIMIT_MS`. */
  readonly batchTimeLimitMs?: number
  /** Told of every failure of a worker, for the log; each is a defect or a broken machine. */
  readonly onWorkerError?: (error: Error) => void
  /** Called when a thread has dropped its tables of keys because they failed; from then on no thread uses tables. */
  readonly onTablesFailed?: (reason: string) => void
  readonly observer?: VerifyObserver
  /** Milliseconds on a clock that does not jump; only tests have another one than the machine's. */
  readonly now?: () => number
  /** The worker's file. Only tests have another one than `worker.js`. */
  readonly worker?: URL
}

export interface VerifyPool {
  /**
   * Whether the signature is valid, or how the request is turned away when its lane is full or the pool closing. Rejects
   * with an Error when the request's batch failed twice; a failure never becomes a verdict.
   * Throws a RangeError when the key is not 33 bytes. `client` tells whom the request came from; it is only asked when
   * bad signatures came for the key.
   */
  verify(request: VerifyRequest, lane: VerifyLaneName, client?: () => string): Promise<boolean> | TurnedAway
  /**
   * How many requests wait in each lane, and how many are with the threads. Those of suspected keys count as
   * `unregistered`: they wait without priority too.
   */
  depth(): { readonly registered: number; readonly unregistered: number; readonly inFlight: number }
  /** Warmed up, not closing, and the threads are not known to fail. */
  ready(): boolean
  /** One known verification on each thread, so that an engine that does not run is a rejection at start. */
  warmUp(): Promise<void>
  /** Accepts nothing more, answers everything that waits, and ends the threads. */
  close(): Promise<void>
}

/** Requests in one batch. With noble a batch of 64 would hold its first request for a tenth of a second. */
const DEFAULT_BATCH_LIMIT: Readonly<Record<Secp256k1EngineName, number>> = { libsecp256k1: 128, noble: 8 }
/** Thousands of times what a batch takes: only threads that are stuck or cannot start exceed it. */
const DEFAULT_BATCH_TIME_LIMIT_MS = 10_000
/**
 * The second batch of a thread waits in its inbox, so that it need not idle until this thread's event loop comes
 * round. It is only sent when it is full; otherwise what gathers meanwhile shares the next one.
 */
const BATCHES_PER_THREAD = 2
/** A batch goes to a thread once, and once more when that thread fails. */
const ATTEMPTS = 2
/** Between two looks at whether failing threads work again. */
const PROBE_INTERVAL_MS = 1_000
/** Shortest pause before requests without priority are looked at again. */
const HELD_BACK_MIN_MS = 1
/** A longer text cannot be a signature, so it need not be carried to a worker. */
const MAX_SIGNATURE_CHARACTERS = base64Length(MAX_DER_SIGNATURE_BYTES)

/** The client of those who do not say. */
const nobody = () => ''

interface Batch {
  readonly entries: readonly WaitingRequest[]
  /** How often it has been sent. */
  attempts: number
}

/** Starts the threads. Call `warmUp` before `ready` can be true. */
export function createVerifyPool(settings: VerifyPoolSettings): VerifyPool {
  return new ThreadedVerifyPool(settings)
}

class ThreadedVerifyPool implements VerifyPool {
  readonly #threadCount: number
  readonly #batchLimit: number
  readonly #lanes: VerifyLanes
  readonly #now: () => number
  readonly #threads: VerifyThreads
  readonly #onWorkerError: (error: Error) => void
  readonly #onTablesFailed: (reason: string) => void
  readonly #observer: VerifyObserver | undefined
  #mayUseTables = true
  /** Batches whose thread failed; they go first. */
  readonly #failed: Batch[] = []
  #batchesInFlight = 0
  #requestsInFlight = 0
  #dispatchScheduled: NodeJS.Immediate | undefined
  #heldBackTimer: NodeJS.Timeout | undefined
  #warm = false
  #failing = false
  #probeTimer: NodeJS.Timeout | undefined
  #closing: Promise<void> | undefined
  #onIdle: (() => void) | undefined

  constructor(settings: VerifyPoolSettings) {
    const { threads, engine, batchLimit = DEFAULT_BATCH_LIMIT[engine] } = settings
    if (!Number.isSafeInteger(threads) || threads < 1) throw new RangeError('A verify pool has at least one thread.')
    // A batch of one place could not be shared by the lanes.
    if (!Number.isSafeInteger(batchLimit) || batchLimit < 2) throw new RangeError('A batch has at least two places.')
    this.#threadCount = threads
    this.#batchLimit = batchLimit
    this.#onWorkerError = settings.onWorkerError ?? (() => {})
    this.#onTablesFailed = settings.onTablesFailed ?? (() => {})
    this.#observer = settings.observer
    this.#now = settings.now ?? (() => performance.now())
    this.#lanes = new VerifyLanes(settings)
    this.#threads = new VerifyThreads({
      threads,
      batchesPerThread: BATCHES_PER_THREAD,
      engine,
      keyTables: settings.keyTables ?? null,
      batchTimeLimitMs: settings.batchTimeLimitMs ?? DEFAULT_BATCH_TIME_LIMIT_MS,
      worker: settings.worker ?? new URL('./worker.js', import.meta.url),
      onError: this.#onWorkerError,
    })
  }

  verify(request: VerifyRequest, laneName: VerifyLaneName, client = nobody): Promise<boolean> | TurnedAway {
    if (request.publicKey.length !== PUBLIC_KEY_BYTES) {
      throw new RangeError(`A public key has ${PUBLIC_KEY_BYTES} bytes, not ${request.publicKey.length}.`)
    }
    if (this.#closing !== undefined) return 'overloaded'
    if (request.signature.length > MAX_SIGNATURE_CHARACTERS) return Promise.resolve(false)
    const verdict = this.#lanes.enter(request, laneName, client, this.#now())
    if (verdict instanceof Promise) this.#dispatchSoon()
    return verdict
  }

  depth(): { registered: number; unregistered: number; inFlight: number } {
    return { ...this.#lanes.depth, inFlight: this.#requestsInFlight }
  }

  ready(): boolean {
    return this.#warm && !this.#failing && this.#closing === undefined
  }

  async warmUp(): Promise<void> {
    // Idle threads are chosen before busy ones, so as many batches as threads are one for each.
    await Promise.all(Array.from({ length: this.#threadCount }, () => this.#verifyKnownBatch()))
    this.#warm = true
  }

  close(): Promise<void> {
    this.#closing ??= this.#finish()
    return this.#closing
  }

  /**
   * Dispatches after the callbacks of this turn of the event loop, so that requests which arrived together share a
   * batch. Nothing waits for a timer, and a full batch waits for nothing. (A microtask would run between two requests
   * that arrived together.)
   */
  #dispatchSoon(): void {
    const { waiting } = this.#lanes
    if (this.#batchesInFlight >= this.#threadCount * BATCHES_PER_THREAD) return
    if (this.#batchesInFlight >= this.#threadCount && waiting < this.#batchLimit) return
    if (waiting >= this.#batchLimit * this.#threadCount) this.#dispatch()
    else this.#dispatchScheduled ??= setImmediate(() => this.#dispatch())
  }

  #dispatch(): void {
    if (this.#dispatchScheduled !== undefined) clearImmediate(this.#dispatchScheduled)
    this.#dispatchScheduled = undefined
    while (this.#batchesInFlight < this.#threadCount * BATCHES_PER_THREAD) {
      const batch = this.#failed.shift() ?? this.#nextBatch()
      if (batch === null) return
      void this.#send(batch)
    }
  }

  /** What goes out next, or null when it is better to let more gather. */
  #nextBatch(): Batch | null {
    const now = this.#now()
    const eligible = this.#lanes.eligible(now)
    const idleThreads = this.#threadCount - this.#batchesInFlight
    if (eligible === 0 && this.#lanes.waiting > 0 && idleThreads > 0) this.#dispatchLater(this.#lanes.waitMs(now))
    if (eligible === 0 || (idleThreads <= 0 && eligible < this.#batchLimit)) return null
    // Idle threads share what waits, which halves the wait with two of them.
    const size = Math.min(this.#batchLimit, Math.ceil(eligible / Math.max(idleThreads, 1)))
    const chosen = this.#lanes.take(size, now)
    if (this.#observer !== undefined) tellWaits(this.#observer, chosen, now)
    return { entries: chosen.entries, attempts: 0 }
  }

  /** Everything that waits is held back, and nothing that goes on would come back to it. */
  #dispatchLater(waitMs: number): void {
    this.#heldBackTimer ??= setTimeout(
      () => {
        this.#heldBackTimer = undefined
        this.#dispatch()
      },
      Math.max(waitMs, HELD_BACK_MIN_MS),
    )
  }

  /** Sends a batch to a thread and settles its requests. Never rejects. */
  async #send(batch: Batch): Promise<void> {
    const { entries } = batch
    batch.attempts++
    this.#batchesInFlight++
    this.#requestsInFlight += entries.length
    try {
      const requests = entries.map((entry) => entry.request)
      const answer = await this.#threads.run(encodeBatch(requests, this.#mayUseTables))
      const { verdicts, tookMs, complaint } = readAnswer(answer, entries.length)
      if (complaint !== null) this.#dropTables(complaint)
      this.#lanes.measured(entries.length, tookMs)
      for (const [i, entry] of entries.entries()) this.#lanes.settle(entry, verdicts[i] === true)
    } catch (cause) {
      this.#retryOrReject(batch, new Error('Signatures could not be verified.', { cause }))
    } finally {
      this.#batchesInFlight--
      this.#requestsInFlight -= entries.length
      this.#dispatch()
      if (this.#batchesInFlight === 0) this.#onIdle?.()
    }
  }

  #dropTables(reason: string): void {
    this.#mayUseTables = false
    this.#onTablesFailed(reason)
  }

  #retryOrReject(batch: Batch, error: Error): void {
    this.#onWorkerError(error)
    if (batch.attempts < ATTEMPTS) {
      this.#failed.push(batch)
      return
    }
    for (const entry of batch.entries) entry.reject(error)
    if (!this.#failing) {
      this.#failing = true
      void this.#probe()
    }
  }

  /** Tries the threads until they work again, because a service that is not ready is sent nothing to find out with. */
  async #probe(): Promise<void> {
    if (this.#closing !== undefined) return
    try {
      await this.#verifyKnownBatch()
      this.#failing = false
    } catch (cause) {
      if (this.#closing !== undefined) return
      this.#onWorkerError(new Error('The verify threads still fail.', { cause }))
      this.#probeTimer = setTimeout(() => void this.#probe(), PROBE_INTERVAL_MS).unref()
    }
  }

  async #verifyKnownBatch(): Promise<void> {
    assertKnownVerdicts(await this.#threads.run(encodeKnownBatch()))
  }

  async #finish(): Promise<void> {
    clearTimeout(this.#probeTimer)
    clearTimeout(this.#heldBackTimer)
    this.#lanes.end()
    this.#dispatch()
    // Every answered batch dispatches the next, so no batch in flight means that nothing waits either.
    if (this.#batchesInFlight > 0) {
      await new Promise<void>((resolve) => {
        this.#onIdle = resolve
      })
    }
    await this.#threads.close()
  }
}

function tellWaits(observer: VerifyObserver, { entries, withPriority }: Chosen, now: number): void {
  for (const [i, { since }] of entries.entries()) {
    observer.waited(i < withPriority ? 'registered' : 'unregistered', now - since)
  }
}
