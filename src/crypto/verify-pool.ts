/**
 * The verify pool: requests gather in bounded lanes, and whenever a thread is free everything that has gathered goes to
 * it as one batch. A registered key that bad signatures are sent for loses its priority; see `KeyStanding`.
 *
 * ```
 * verify() ──► registered   lane ─┐                      ┌─ thread ─┐
 *         └──► suspected    lane ─┤                      │          │
 * verify() ──► unregistered lane ─┴─ next batch, ≤ limit ┼─ thread ─┼─► one verdict each
 *                                  ▲                     └─ thread ─┘        │
 *                                  └────────── a batch is answered ──────────┘
 * ```
 */

import { base64Length } from './base64.js'
import { MAX_DER_SIGNATURE_BYTES } from './der.js'
import { FairLane } from './fair-lane.js'
import { KeyStanding, keyText } from './key-standing.js'
import { assertKnownVerdicts, encodeKnownBatch } from './known-answer.js'
import { PUBLIC_KEY_BYTES, type Secp256k1EngineName } from './secp256k1.js'
import { encodeBatch, readVerdicts, recordBytes, type VerifyRequest } from './verify-batch.js'
import { VerifyLane, type WaitingRequest } from './verify-lane.js'
import { VerifyThreads } from './verify-threads.js'

/** `registered`: the key has a record. `unregistered`: it has none, so anybody can send as many as they like. */
export type VerifyLaneName = 'registered' | 'unregistered'

/** Hears of requests that go to a thread. It is called for each, so it must be quick, and must not throw. */
export interface VerifyObserver {
  /** Milliseconds on a clock that does not jump. */
  now(): number
  /** A request has waited that long in its lane. What lost its priority counts as `unregistered`. */
  waited(lane: VerifyLaneName, waitMs: number): void
}

export interface VerifyPoolSettings {
  /** Worker threads. */
  readonly threads: number
  readonly engine: Secp256k1EngineName
  /** Requests that may wait in the lane of registered keys. */
  readonly registeredLaneLimit: number
  /** Requests that may wait in the lane of unregistered keys, and in that of suspected ones. */
  readonly unregisteredLaneLimit: number
  /** Bytes of requests that may wait in each lane. What is with the threads, 2 × `batchLimit` for each, comes on top. */
  readonly laneLimitBytes: number
  /** Requests in one batch, at least 2. Without it, `DEFAULT_BATCH_LIMIT` of the engine. */
  readonly batchLimit?: number
  /** A batch that takes longer is given up and its threads are replaced. Without it, `DEFAULT_BATCH_TIME_LIMIT_MS`. */
  readonly batchTimeLimitMs?: number
  /** Told of every failure of a worker, for the log; each is a defect or a broken machine. */
  readonly onWorkerError?: (error: Error) => void
  readonly observer?: VerifyObserver
  /** The worker's file. Only tests have another one than `verify-worker.js`. */
  readonly worker?: URL
}

export interface VerifyPool {
  /**
   * Whether the signature is valid, or null when the lane is full or the pool closing: the caller answers
   * `overloaded`. Rejects with an Error when the request's batch failed twice; a failure never becomes a verdict.
   * Throws a RangeError when the key is not 33 bytes.
   */
  verify(request: VerifyRequest, lane: VerifyLaneName): Promise<boolean> | null
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
const DEFAULT_BATCH_LIMIT: Readonly<Record<Secp256k1EngineName, number>> = { libsecp256k1: 64, noble: 8 }
/** Thousands of times what a batch takes: only threads that are stuck or cannot start exceed it. */
const DEFAULT_BATCH_TIME_LIMIT_MS = 10_000
/**
 * The second batch of a thread waits in its inbox, so that it need not idle until this thread's event loop comes
 * round. It is only sent when it is full; otherwise what gathers meanwhile shares the next one.
 */
const BATCHES_PER_THREAD = 2
/** Each lane without priority gets this part of every batch when others wait for it too, so that it never starves. */
const SHARE_WITHOUT_PRIORITY = 1 / 8
/** A batch goes to a thread once, and once more when that thread fails. */
const ATTEMPTS = 2
/** Between two looks at whether failing threads work again. */
const PROBE_INTERVAL_MS = 1_000
/** A longer text cannot be a signature, so it need not be carried to a worker. */
const MAX_SIGNATURE_CHARACTERS = base64Length(MAX_DER_SIGNATURE_BYTES)

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
  readonly #lanes: Readonly<Record<VerifyLaneName, VerifyLane>>
  /** Requests of registered keys that lost their priority. */
  readonly #suspected: FairLane
  readonly #standing = new KeyStanding()
  /** Which of the lanes without priority comes first in the next batch; they alternate, as a small one has one place. */
  #suspectedFirst = false
  readonly #threads: VerifyThreads
  readonly #onWorkerError: (error: Error) => void
  readonly #observer: VerifyObserver | undefined
  /** Batches whose thread failed; they go first. */
  readonly #failed: Batch[] = []
  #batchesInFlight = 0
  #requestsInFlight = 0
  #dispatchScheduled: NodeJS.Immediate | undefined
  #warm = false
  #failing = false
  #probeTimer: NodeJS.Timeout | undefined
  #closing: Promise<void> | undefined
  #onIdle: (() => void) | undefined

  constructor(settings: VerifyPoolSettings) {
    const { threads, engine, laneLimitBytes, batchLimit = DEFAULT_BATCH_LIMIT[engine] } = settings
    if (!Number.isSafeInteger(threads) || threads < 1) throw new RangeError('A verify pool has at least one thread.')
    // A batch of one place could not be shared by the lanes.
    if (!Number.isSafeInteger(batchLimit) || batchLimit < 2) throw new RangeError('A batch has at least two places.')
    this.#threadCount = threads
    this.#batchLimit = batchLimit
    this.#onWorkerError = settings.onWorkerError ?? (() => {})
    this.#observer = settings.observer
    this.#lanes = {
      registered: new VerifyLane(settings.registeredLaneLimit, laneLimitBytes),
      unregistered: new VerifyLane(settings.unregisteredLaneLimit, laneLimitBytes),
    }
    this.#suspected = new FairLane(settings.unregisteredLaneLimit, laneLimitBytes)
    this.#threads = new VerifyThreads({
      threads,
      batchesPerThread: BATCHES_PER_THREAD,
      engine,
      batchTimeLimitMs: settings.batchTimeLimitMs ?? DEFAULT_BATCH_TIME_LIMIT_MS,
      worker: settings.worker ?? new URL('./verify-worker.js', import.meta.url),
      onError: this.#onWorkerError,
    })
  }

  verify(request: VerifyRequest, laneName: VerifyLaneName): Promise<boolean> | null {
    if (request.publicKey.length !== PUBLIC_KEY_BYTES) {
      throw new RangeError(`A public key has ${PUBLIC_KEY_BYTES} bytes, not ${request.publicKey.length}.`)
    }
    if (this.#closing !== undefined) return null
    if (request.signature.length > MAX_SIGNATURE_CHARACTERS) return Promise.resolve(false)
    const bytes = recordBytes(request)
    const isRegistered = laneName === 'registered'
    const suspect = isRegistered && this.#standing.isSuspect(request.publicKey) ? keyText(request.publicKey) : null
    const lane = this.#lanes[laneName]
    if (!(suspect === null ? lane.admits(bytes) : this.#suspected.admits(suspect, bytes))) return null
    const since = this.#observer === undefined ? 0 : this.#observer.now()
    const verdict = new Promise<boolean>((resolve, reject) => {
      const entry: WaitingRequest = { request, bytes, since, isRegistered, resolve, reject }
      if (suspect === null) lane.push(entry)
      else this.#suspected.push(suspect, entry)
    })
    this.#dispatchSoon()
    return verdict
  }

  depth(): { registered: number; unregistered: number; inFlight: number } {
    const { registered, unregistered } = this.#lanes
    return {
      registered: registered.length,
      unregistered: unregistered.length + this.#suspected.length,
      inFlight: this.#requestsInFlight,
    }
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

  get #waiting(): number {
    return this.#lanes.registered.length + this.#lanes.unregistered.length + this.#suspected.length
  }

  /**
   * Dispatches after the callbacks of this turn of the event loop, so that requests which arrived together share a
   * batch. Nothing waits for a timer, and a full batch waits for nothing. (A microtask would run between two requests
   * that arrived together.)
   */
  #dispatchSoon(): void {
    if (this.#batchesInFlight >= this.#threadCount * BATCHES_PER_THREAD) return
    if (this.#batchesInFlight >= this.#threadCount && this.#waiting < this.#batchLimit) return
    if (this.#waiting >= this.#batchLimit * this.#threadCount) this.#dispatch()
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
    const waiting = this.#waiting
    const idleThreads = this.#threadCount - this.#batchesInFlight
    if (waiting === 0 || (idleThreads <= 0 && waiting < this.#batchLimit)) return null
    // Idle threads share what waits, which halves the wait with two of them.
    const size = Math.min(this.#batchLimit, Math.ceil(waiting / Math.max(idleThreads, 1)))
    const { registered, unregistered } = this.#lanes
    const entries: WaitingRequest[] = []
    registered.take(size - this.#keptWithoutPriority(size), entries)
    const registeredCount = entries.length
    const [first, second] = this.#suspectedFirst ? [this.#suspected, unregistered] : [unregistered, this.#suspected]
    this.#suspectedFirst = !this.#suspectedFirst
    const rest = size - registeredCount
    const secondKept = rest < 2 ? 0 : Math.min(second.length, Math.ceil(rest / 2))
    first.take(rest - secondKept, entries)
    second.take(size - entries.length, entries)
    if (this.#observer !== undefined) tellWaits(this.#observer, entries, registeredCount)
    return { entries, attempts: 0 }
  }

  /** Places of a batch that registered keys leave to the others, at least one to themselves. */
  #keptWithoutPriority(size: number): number {
    let kept = 0
    for (const { length } of [this.#lanes.unregistered, this.#suspected]) {
      kept += Math.min(length, Math.max(1, Math.floor(size * SHARE_WITHOUT_PRIORITY)))
    }
    return Math.min(kept, size - 1)
  }

  /** Sends a batch to a thread and settles its requests. Never rejects. */
  async #send(batch: Batch): Promise<void> {
    const { entries } = batch
    batch.attempts++
    this.#batchesInFlight++
    this.#requestsInFlight += entries.length
    try {
      const answer = await this.#threads.run(encodeBatch(entries.map((entry) => entry.request)))
      const verdicts = readVerdicts(answer, entries.length)
      for (const [i, entry] of entries.entries()) {
        const isValid = verdicts[i] === true
        if (entry.isRegistered) this.#standing.heard(entry.request.publicKey, isValid)
        entry.resolve(isValid)
      }
    } catch (cause) {
      this.#retryOrReject(batch, new Error('Signatures could not be verified.', { cause }))
    } finally {
      this.#batchesInFlight--
      this.#requestsInFlight -= entries.length
      this.#dispatch()
      if (this.#batchesInFlight === 0) this.#onIdle?.()
    }
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

/** Tells how long the requests of a batch have waited; those of registered keys come first in it. */
function tellWaits(observer: VerifyObserver, entries: readonly WaitingRequest[], registeredCount: number): void {
  const now = observer.now()
  for (const [i, { since }] of entries.entries()) {
    observer.waited(i < registeredCount ? 'registered' : 'unregistered', now - since)
  }
}
