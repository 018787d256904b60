/** The lanes in which requests wait for a verify thread, and which of them go next. */

import { FairQueue } from './fair-queue.js'
import { KeyReputation } from './key-reputation.js'
import { LowPriorityBudget } from './low-priority-budget.js'
import { PriorityQueue, type WaitingRequest } from './priority-queue.js'
import { recordBytes, type VerifyRequest } from './wire.js'

/** `registered`: the key has a record. `unregistered`: it has none, so anybody can send as many as they like. */
export type VerifyLaneName = 'registered' | 'unregistered'

/**
 * There is no room: `crowded_out` by others of the same kind, that is by other strangers or by the same client in the name
 * of the same suspected key; `overloaded` otherwise.
 */
export type TurnedAway = 'overloaded' | 'crowded_out'

export interface VerifyLanesSettings {
  readonly threads: number
  /** Requests that may wait in the lane of registered keys. */
  readonly registeredLaneLimit: number
  /** Requests that may wait in the lane of unregistered keys, and in that of suspected ones. */
  readonly unregisteredLaneLimit: number
  /** Bytes of requests that may wait in each lane. */
  readonly laneLimitBytes: number
}

/** What goes to a thread at once: those with priority first. */
export interface Chosen {
  readonly entries: readonly WaitingRequest[]
  readonly withPriority: number
}

/** Most that a lane without priority gets of a batch for which others wait too. */
const SHARE_OF_BATCH = 1 / 8

/** A lane that gets the time that is left. */
interface Patient {
  readonly lane: PriorityQueue | FairQueue
  readonly spareTime: LowPriorityBudget
}

/**
 * Requests of registered keys have priority, unless bad signatures are sent for their key (`KeyReputation`); these, a
 * fair share for each key and client, and requests of unregistered keys get the time that is left (`LowPriorityBudget`).
 */
export class VerifyLanes {
  readonly #registered: PriorityQueue
  readonly #unregistered: PriorityQueue
  /** Requests of registered keys that lost their priority. */
  readonly #suspected: FairQueue
  readonly #timeOfSuspects: LowPriorityBudget
  readonly #standing = new KeyReputation()
  /** The lanes without priority. They take turns to come first, as a small batch has one place for them. */
  #patient: readonly [Patient, Patient]
  #isEnding = false

  constructor({ threads, registeredLaneLimit, unregisteredLaneLimit, laneLimitBytes }: VerifyLanesSettings) {
    this.#registered = new PriorityQueue(registeredLaneLimit, laneLimitBytes)
    this.#unregistered = new PriorityQueue(unregisteredLaneLimit, laneLimitBytes)
    this.#suspected = new FairQueue(unregisteredLaneLimit, laneLimitBytes)
    this.#timeOfSuspects = new LowPriorityBudget(threads)
    this.#patient = [
      { lane: this.#unregistered, spareTime: new LowPriorityBudget(threads) },
      { lane: this.#suspected, spareTime: this.#timeOfSuspects },
    ]
  }

  /** Requests that wait; those of suspected keys count as `unregistered`. */
  get depth(): { readonly registered: number; readonly unregistered: number } {
    return { registered: this.#registered.length, unregistered: this.#unregistered.length + this.#suspected.length }
  }

  get waiting(): number {
    return this.#registered.length + this.#unregistered.length + this.#suspected.length
  }

  /** The promise of its verdict, or how it is turned away. `client` tells whom it came from. */
  enter(
    request: VerifyRequest,
    laneName: VerifyLaneName,
    client: () => string,
    since: number,
  ): Promise<boolean> | TurnedAway {
    const bytes = recordBytes(request)
    const isRegistered = laneName === 'registered'
    const suspect = isRegistered ? this.#standing.suspect(request.publicKey, client) : null
    const isSuspect = suspect !== null
    const lane = isRegistered ? this.#registered : this.#unregistered
    if (suspect !== null && !this.#suspected.admits(suspect, bytes)) {
      return this.#suspected.has(suspect) ? 'crowded_out' : 'overloaded'
    }
    if (suspect === null && !lane.admits(bytes)) return isRegistered ? 'overloaded' : 'crowded_out'
    return new Promise<boolean>((resolve, reject) => {
      const entry: WaitingRequest = { request, bytes, since, isRegistered, isSuspect, client, resolve, reject }
      if (suspect === null) lane.push(entry)
      else this.#suspected.push(suspect, entry)
    })
  }

  /** How many of those that wait may go out now. */
  eligible(nowMs: number): number {
    const [first, second] = this.#patient
    return this.#registered.length + this.#places(first, nowMs) + this.#places(second, nowMs)
  }

  /** Milliseconds until one of those without priority may go out. */
  waitMs(nowMs: number): number {
    const waits = this.#patient.filter(({ lane }) => lane.length > 0).map(({ spareTime }) => spareTime.waitMs(nowMs))
    return Math.min(...waits)
  }

  /** Takes out what goes next: `size` of them, when as many are eligible. */
  take(size: number, nowMs: number): Chosen {
    const entries: WaitingRequest[] = []
    const [first, second] = this.#patient
    this.#patient = [second, first]
    const firstPlaces = this.#places(first, nowMs)
    const secondPlaces = this.#places(second, nowMs)
    const kept = Math.min(keptOf(firstPlaces, size) + keptOf(secondPlaces, size), size - 1)
    this.#registered.take(size - kept, entries)
    const withPriority = entries.length
    const rest = size - withPriority
    const secondKept = rest < 2 ? 0 : Math.min(secondPlaces, Math.ceil(rest / 2))
    first.lane.take(Math.min(rest - secondKept, firstPlaces), entries)
    const ofFirst = entries.length - withPriority
    second.lane.take(Math.min(rest - ofFirst, secondPlaces), entries)
    first.spareTime.spent(withPriority, ofFirst, nowMs)
    second.spareTime.spent(withPriority, entries.length - withPriority - ofFirst, nowMs)
    return { entries, withPriority }
  }

  /** A batch of `count` kept its thread busy for so long. */
  measured(count: number, tookMs: number): void {
    for (const { spareTime } of this.#patient) spareTime.measured(count, tookMs)
  }

  /** Counts a verdict for or against the key, and tells it. */
  settle({ isRegistered, isSuspect, request, client, resolve }: WaitingRequest, isValid: boolean): void {
    if (isRegistered) this.#standing.heard(request.publicKey, isValid, client)
    // Time is not wasted on those who share a key and an address with whoever attacks it.
    if (isSuspect && isValid) this.#timeOfSuspects.refund()
    resolve(isValid)
  }

  /** From now on nobody is held back. */
  end(): void {
    this.#isEnding = true
  }

  /** How many of a lane without priority may go out now. */
  #places({ lane, spareTime }: Patient, nowMs: number): number {
    return this.#isEnding ? lane.length : Math.min(lane.length, spareTime.places(nowMs))
  }
}

/** Places that registered keys leave to a lane in a batch of `size`. */
function keptOf(places: number, size: number): number {
  return Math.min(places, Math.max(1, Math.floor(size * SHARE_OF_BATCH)))
}
