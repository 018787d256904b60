/** The lanes in which requests wait for a verification thread, and which of them go next. */

import { FlowQueue } from './flow-queue.js'
import { KeyReputation } from './key-reputation.js'
import { LowPriorityBudget } from './low-priority-budget.js'
import { RequestQueue, type WaitingRequest } from './request-queue.js'
import { recordBytes, type VerifyRequest } from './wire.js'

/** `registered`: the key has a record. `unregistered`: it has none, so anyone can send any number of requests. */
export type VerifyLaneName = 'registered' | 'unregistered'

/**
 * Why there is no room. `crowded_out`: requests of the same kind fill the lane, that is of other unregistered keys, or of the
 * same client in the name of the same suspect key. `overloaded`: anything else.
 */
export type Rejection = 'overloaded' | 'crowded_out'

export interface VerifyLanesSettings {
  readonly threads: number
  /** Requests that may wait in the lane of registered keys. */
  readonly registeredLaneLimit: number
  /** Requests that may wait in the lane of unregistered keys, and in the lane of suspect keys. */
  readonly unregisteredLaneLimit: number
  /** Bytes of requests that may wait in each lane. */
  readonly laneLimitBytes: number
}

/** What goes to a thread at once: priority requests first. */
export interface Chosen {
  readonly entries: readonly WaitingRequest[]
  readonly withPriority: number
}

/** The most that a low-priority lane gets of a batch for which others wait too. */
const SHARE_OF_BATCH = 1 / 8

interface LowPriorityLane {
  readonly lane: RequestQueue | FlowQueue
  readonly budget: LowPriorityBudget
}

/**
 * Requests of registered keys have priority, unless the key is suspect (`KeyReputation`). Requests of suspect keys, with a fair
 * share for each key and client, and requests of unregistered keys get limited time (`LowPriorityBudget`).
 */
export class VerifyLanes {
  private readonly registered: RequestQueue
  private readonly unregistered: RequestQueue
  /** Requests of registered keys that lost their priority. */
  private readonly suspect: FlowQueue
  private readonly suspectBudget: LowPriorityBudget
  private readonly reputation = new KeyReputation()
  /** The low-priority lanes. They take turns to come first, as a small batch has one place for them. */
  private lowPriority: readonly [LowPriorityLane, LowPriorityLane]
  private isEnding = false

  constructor({ threads, registeredLaneLimit, unregisteredLaneLimit, laneLimitBytes }: VerifyLanesSettings) {
    this.registered = new RequestQueue(registeredLaneLimit, laneLimitBytes)
    this.unregistered = new RequestQueue(unregisteredLaneLimit, laneLimitBytes)
    this.suspect = new FlowQueue(unregisteredLaneLimit, laneLimitBytes)
    this.suspectBudget = new LowPriorityBudget(threads)
    this.lowPriority = [
      { lane: this.unregistered, budget: new LowPriorityBudget(threads) },
      { lane: this.suspect, budget: this.suspectBudget },
    ]
  }

  /** Requests that wait; those of suspect keys count as `unregistered`. */
  get depth(): { readonly registered: number; readonly unregistered: number } {
    return { registered: this.registered.length, unregistered: this.unregistered.length + this.suspect.length }
  }

  get waiting(): number {
    return this.registered.length + this.unregistered.length + this.suspect.length
  }

  /** The promise of the verdict, or why there is no room. `client` returns the client that sent the request. */
  enter(
    request: VerifyRequest,
    laneName: VerifyLaneName,
    client: () => string,
    since: number,
  ): Promise<boolean> | Rejection {
    const bytes = recordBytes(request)
    const isRegistered = laneName === 'registered'
    const flow = isRegistered ? this.reputation.suspect(request.publicKey, client) : null
    const lane = isRegistered ? this.registered : this.unregistered
    if (flow !== null && !this.suspect.admits(flow, bytes)) {
      return this.suspect.has(flow) ? 'crowded_out' : 'overloaded'
    }
    if (flow === null && !lane.admits(bytes)) return isRegistered ? 'overloaded' : 'crowded_out'
    return new Promise<boolean>((resolve, reject) => {
      const entry = { request, bytes, since, isRegistered, isSuspect: flow !== null, client, resolve, reject }
      if (flow === null) lane.push(entry)
      else this.suspect.push(flow, entry)
    })
  }

  /** How many of the waiting requests may go out now. */
  eligible(nowMs: number): number {
    const [first, second] = this.lowPriority
    return this.registered.length + this.places(first, nowMs) + this.places(second, nowMs)
  }

  /** Milliseconds until a low-priority request may go out. */
  waitMs(nowMs: number): number {
    const waits = this.lowPriority.filter(({ lane }) => lane.length > 0).map(({ budget }) => budget.waitMs(nowMs))
    return Math.min(...waits)
  }

  /** Takes out what goes next: `size` requests, when as many are eligible. */
  take(size: number, nowMs: number): Chosen {
    const entries: WaitingRequest[] = []
    const [first, second] = this.lowPriority
    this.lowPriority = [second, first]
    const firstPlaces = this.places(first, nowMs)
    const secondPlaces = this.places(second, nowMs)
    const kept = Math.min(keptOf(firstPlaces, size) + keptOf(secondPlaces, size), size - 1)
    this.registered.take(size - kept, entries)
    const withPriority = entries.length
    const rest = size - withPriority
    const secondKept = rest < 2 ? 0 : Math.min(secondPlaces, Math.ceil(rest / 2))
    first.lane.take(Math.min(rest - secondKept, firstPlaces), entries)
    const ofFirst = entries.length - withPriority
    second.lane.take(Math.min(rest - ofFirst, secondPlaces), entries)
    first.budget.spent(withPriority, ofFirst, nowMs)
    second.budget.spent(withPriority, entries.length - withPriority - ofFirst, nowMs)
    return { entries, withPriority }
  }

  /** A batch of `count` kept its thread busy for so long. */
  measured(count: number, tookMs: number): void {
    for (const { budget } of this.lowPriority) budget.measured(count, tookMs)
  }

  /** Counts a verdict for or against the key, and resolves the request's promise. */
  settle({ isRegistered, isSuspect, request, client, resolve }: WaitingRequest, isValid: boolean): void {
    if (isRegistered) this.reputation.count(request.publicKey, isValid, client)
    // Clients that share a key and an address with an attacker get time for their valid signatures.
    if (isSuspect && isValid) this.suspectBudget.refund()
    resolve(isValid)
  }

  /** Stops throttling, so that everything that waits can go out. */
  end(): void {
    this.isEnding = true
  }

  /** How many requests of a low-priority lane may go out now. */
  private places({ lane, budget }: LowPriorityLane, nowMs: number): number {
    return this.isEnding ? lane.length : Math.min(lane.length, budget.places(nowMs))
  }
}

/** Places that registered keys leave to a low-priority lane in a batch of `size`. */
function keptOf(places: number, size: number): number {
  return Math.min(places, Math.max(1, Math.floor(size * SHARE_OF_BATCH)))
}
