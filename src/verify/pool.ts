/**
 * The verify pool: requests gather in bounded lanes. Whenever a thread is free, everything that has gathered goes to it as one
 * batch. `VerifyLanes` decides about priority; `VerifyThreads` runs the batches.
 *
 * ```
 * verify() ──► registered   lane ─┐                      ┌─ thread ─┐
 *         └──► suspect      lane ─┤                      │          │
 * verify() ──► unregistered lane ─┴─ next batch, ≤ limit ┼─ thread ─┼─► one verdict each
 *                                  ▲                     └─ thread ─┘        │
 *                                  └────────── a batch is answered ──────────┘
 * ```
 */

import { base64Length } from '../crypto/base64.js'
import { MAX_DER_SIGNATURE_BYTES } from '../crypto/der.js'
import { PUBLIC_KEY_BYTES, type Secp256k1EngineName } from '../crypto/secp256k1.js'
import { type Cancel, type Scheduler, wakefulScheduler } from '../scheduler.js'
import { assertKnownVerdicts, encodeKnownBatch } from './engine-choice.js'
import { type Chosen, type Rejection, type VerifyLaneName, VerifyLanes, type VerifyLanesSettings } from './lanes.js'
import type { WaitingRequest } from './request-queue.js'
import { encodeBatch, readAnswer, type VerifyRequest } from './wire.js'

/** Measures verification. It is called for each request, so it must be quick, and must not throw. */
export interface VerifyObserver {
  /** A request has waited that long in its lane. Requests that lost their priority count as `unregistered`. */
  waited(lane: VerifyLaneName, waitMs: number): void
  /** A thread dropped its key tables because they failed. */
  tablesFailed(): void
}

/** Where batches are verified. */
export interface BatchThreads {
  /** Resolves to what a thread answered. Rejects when the thread fails. Takes ownership of the batch. */
  run(batch: ArrayBuffer): Promise<unknown>
  /** Ends the threads. What they were working on is rejected. */
  close(): Promise<void>
}

/** Batches with the threads, at most `BATCHES_PER_THREAD` for each, come on top of the limits of the lanes. */
export interface VerifyPoolSettings extends VerifyLanesSettings {
  /** Requests in one batch, at least 2; see `BATCH_LIMIT`. */
  readonly batchLimit: number
  /** Called with every failure of a worker; each is a defect or a broken machine. */
  readonly onWorkerError: (error: Error) => void
  /** Called when a thread has dropped its key tables because they failed; from then on no thread uses tables. */
  readonly onTablesFailed: (reason: string) => void
  readonly observer?: VerifyObserver | undefined
  /** Milliseconds on a clock that does not jump; tests have their own. */
  readonly now?: () => number
  readonly scheduler?: Scheduler
}

/** Requests in one batch. With noble a batch of 64 would hold its first request for a tenth of a second. */
export const BATCH_LIMIT: Readonly<Record<Secp256k1EngineName, number>> = { libsecp256k1: 128, noble: 8 }
/**
 * The second batch of a thread waits in its inbox, so that the thread need not idle until this thread's event loop comes
 * round. It is only sent when it is full; otherwise what gathers meanwhile shares the next one.
 */
export const BATCHES_PER_THREAD = 2
/** A batch is sent once more when its thread fails. */
const ATTEMPTS = 2
/** Pause between probes of failing threads. */
const PROBE_INTERVAL_MS = 1_000
/** Shortest pause before throttled requests are considered again. */
const THROTTLE_MIN_MS = 1
/** A longer text cannot be a signature, so it is rejected here. */
const MAX_SIGNATURE_CHARACTERS = base64Length(MAX_DER_SIGNATURE_BYTES)

interface Batch {
  readonly entries: readonly WaitingRequest[]
  /** How often it has been sent. */
  attempts: number
}

export class VerifyPool {
  private readonly threadCount: number
  private readonly batchLimit: number
  private readonly lanes: VerifyLanes
  private readonly now: () => number
  private readonly scheduler: Scheduler
  /** Batches whose thread failed; they go first. */
  private readonly failed: Batch[] = []
  private batchesInFlight = 0
  private requestsInFlight = 0
  private dispatchScheduled: NodeJS.Immediate | undefined
  private cancelThrottled: Cancel | undefined
  private cancelProbe: Cancel | undefined
  private mayUseTables = true
  private isWarm = false
  private isFailing = false
  private closing: Promise<void> | undefined
  private onIdle: (() => void) | undefined

  /** `threads` runs as many batches at once as `settings.threads`. Call `warmUp` before `ready` can be true. */
  constructor(
    private readonly settings: VerifyPoolSettings,
    private readonly threads: BatchThreads,
  ) {
    const { threads: count, batchLimit, now = () => performance.now(), scheduler = wakefulScheduler } = settings
    if (!Number.isSafeInteger(count) || count < 1) throw new RangeError('a verify pool has at least one thread')
    // The lanes could not share a batch of one place.
    if (!Number.isSafeInteger(batchLimit) || batchLimit < 2) throw new RangeError('a batch has at least two places')
    this.threadCount = count
    this.batchLimit = batchLimit
    this.now = now
    this.scheduler = scheduler
    this.lanes = new VerifyLanes(settings)
  }

  /**
   * Whether the signature is valid, or why the request is rejected when its lane is full or the pool closing. The promise
   * rejects with an Error when the request's batch failed twice; a failure never becomes a verdict. Throws a RangeError when
   * the key is not 33 bytes. `client` returns the client that sent the request; it is called only for attacked keys.
   */
  verify(request: VerifyRequest, laneName: VerifyLaneName, client: () => string): Promise<boolean> | Rejection {
    if (request.publicKey.length !== PUBLIC_KEY_BYTES) {
      throw new RangeError(`a public key has ${PUBLIC_KEY_BYTES} bytes, not ${request.publicKey.length}`)
    }
    if (this.closing !== undefined) return 'overloaded'
    if (request.signature.length > MAX_SIGNATURE_CHARACTERS) return Promise.resolve(false)
    const verdict = this.lanes.enter(request, laneName, client, this.now())
    if (verdict instanceof Promise) this.dispatchSoon()
    return verdict
  }

  /** Requests that wait in each lane, and requests with the threads. Those of suspect keys count as `unregistered`. */
  depth(): { readonly registered: number; readonly unregistered: number; readonly inFlight: number } {
    return { ...this.lanes.depth, inFlight: this.requestsInFlight }
  }

  /** Whether it is warmed up, not closing, and the threads are not known to fail. */
  ready(): boolean {
    return this.isWarm && !this.isFailing && this.closing === undefined
  }

  /** One known verification on each thread, so that an engine that does not run is a rejection at start. */
  async warmUp(): Promise<void> {
    // Idle threads are chosen before busy ones, so as many batches as threads are one for each.
    await Promise.all(Array.from({ length: this.threadCount }, () => this.verifyKnownBatch()))
    this.isWarm = true
  }

  /** Accepts nothing more, answers everything that waits, and ends the threads. */
  close(): Promise<void> {
    this.closing ??= this.finish()
    return this.closing
  }

  /**
   * Dispatches after the callbacks of this turn of the event loop, so that requests which arrived together share a batch. A
   * full batch does not wait. (A microtask would run between two requests that arrived together.)
   */
  private dispatchSoon(): void {
    const { waiting } = this.lanes
    if (this.batchesInFlight >= this.threadCount * BATCHES_PER_THREAD) return
    if (this.batchesInFlight >= this.threadCount && waiting < this.batchLimit) return
    if (waiting >= this.batchLimit * this.threadCount) this.dispatch()
    else this.dispatchScheduled ??= setImmediate(() => this.dispatch())
  }

  private dispatch(): void {
    if (this.dispatchScheduled !== undefined) clearImmediate(this.dispatchScheduled)
    this.dispatchScheduled = undefined
    while (this.batchesInFlight < this.threadCount * BATCHES_PER_THREAD) {
      const batch = this.failed.shift() ?? this.nextBatch()
      if (batch === null) return
      void this.send(batch)
    }
  }

  /** What goes out next, or null when it is better to let more gather. */
  private nextBatch(): Batch | null {
    const now = this.now()
    const eligible = this.lanes.eligible(now)
    const idleThreads = this.threadCount - this.batchesInFlight
    if (eligible === 0 && this.lanes.waiting > 0 && idleThreads > 0) this.dispatchIn(this.lanes.waitMs(now))
    if (eligible === 0 || (idleThreads <= 0 && eligible < this.batchLimit)) return null
    // Idle threads share what waits, which halves the wait with two of them.
    const size = Math.min(this.batchLimit, Math.ceil(eligible / Math.max(idleThreads, 1)))
    const chosen = this.lanes.take(size, now)
    if (this.settings.observer !== undefined) observeWaits(this.settings.observer, chosen, now)
    return { entries: chosen.entries, attempts: 0 }
  }

  /** Everything that waits is throttled, and no batch in flight would come back to it. */
  private dispatchIn(waitMs: number): void {
    this.cancelThrottled ??= this.scheduler.after(Math.max(waitMs, THROTTLE_MIN_MS), () => {
      this.cancelThrottled = undefined
      this.dispatch()
    })
  }

  /** Sends a batch to a thread and settles its requests. Never rejects. */
  private async send(batch: Batch): Promise<void> {
    const { entries } = batch
    batch.attempts += 1
    this.batchesInFlight += 1
    this.requestsInFlight += entries.length
    try {
      const requests = entries.map((entry) => entry.request)
      const answer = await this.threads.run(encodeBatch(requests, this.mayUseTables))
      const { verdicts, tookMs, complaint } = readAnswer(answer, entries.length)
      if (complaint !== null) this.dropTables(complaint)
      this.lanes.measured(entries.length, tookMs)
      for (const [i, entry] of entries.entries()) this.lanes.settle(entry, verdicts[i] === true)
    } catch (cause) {
      this.retryOrReject(batch, new Error('signatures could not be verified', { cause }))
    } finally {
      this.batchesInFlight -= 1
      this.requestsInFlight -= entries.length
      this.dispatch()
      if (this.batchesInFlight === 0) this.onIdle?.()
    }
  }

  private dropTables(reason: string): void {
    this.mayUseTables = false
    this.settings.onTablesFailed(reason)
  }

  private retryOrReject(batch: Batch, error: Error): void {
    this.settings.onWorkerError(error)
    if (batch.attempts < ATTEMPTS) {
      this.failed.push(batch)
      return
    }
    for (const entry of batch.entries) entry.reject(error)
    if (!this.isFailing) {
      this.isFailing = true
      void this.probe()
    }
  }

  /** Tries the threads until they work again, because a service that is not ready gets no requests to find out with. */
  private async probe(): Promise<void> {
    if (this.closing !== undefined) return
    try {
      await this.verifyKnownBatch()
      this.isFailing = false
    } catch (cause) {
      if (this.closing !== undefined) return
      this.settings.onWorkerError(new Error('the verify threads still fail', { cause }))
      this.cancelProbe = this.scheduler.after(PROBE_INTERVAL_MS, () => void this.probe())
    }
  }

  private async verifyKnownBatch(): Promise<void> {
    assertKnownVerdicts(await this.threads.run(encodeKnownBatch()))
  }

  private async finish(): Promise<void> {
    this.cancelProbe?.()
    this.cancelThrottled?.()
    this.lanes.end()
    this.dispatch()
    // Every answered batch dispatches the next, so without a batch in flight nothing waits either.
    if (this.batchesInFlight > 0) {
      await new Promise<void>((resolve) => {
        this.onIdle = resolve
      })
    }
    await this.threads.close()
  }
}

function observeWaits(observer: VerifyObserver, { entries, withPriority }: Chosen, now: number): void {
  for (const [i, { since }] of entries.entries()) {
    observer.waited(i < withPriority ? 'registered' : 'unregistered', now - since)
  }
}
