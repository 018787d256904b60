import { BoundedMap } from '../../base/bounded-map.js'
import type { Clock } from '../../clock.js'
import { retryLater } from '../../domain/failure.js'
import type { HeadGuard, RequestHead } from '../server.js'
import type { Client, ClientOf } from './client-address.js'

const MINUTE_MICROS = 60_000_000
const MICROS_PER_MS = 1_000
const MICROS_PER_SECOND = 1_000_000

/** Clients remembered at once, about 10 MB. Beyond this, those not seen for longest are forgotten. */
const TRACKED_CLIENTS_MAX = 65_536

/** Clients that have used this part of their allowance are told to the other processes. */
const BUSY_PART = 8
/** How far beyond its allowance a client may be that was served by several processes before they knew of each other. */
const OVERDRAFT_BURSTS = 1

export interface RateLimitSettings {
  /** Names the limit for all processes of the service. */
  readonly name: string
  /** Requests per minute for each client; 0 for no limit. */
  readonly perMinute: number
  readonly clientOf: ClientOf
  readonly limiters: Limiters
  /** Whether the limit applies to a request. */
  readonly counts: (head: RequestHead, client: Client) => boolean
}

/** Answers `rate_limited` to a client that has used up its minute's worth of requests. Null without a limit. */
export function limitRate({ name, perMinute, clientOf, limiters, counts }: RateLimitSettings): HeadGuard | null {
  if (perMinute === 0) return null
  const limiter = limiters.add(name, perMinute)
  return (head) => {
    const client = clientOf(head)
    const waitSeconds = counts(head, client) ? limiter.take(client.key) : 0
    return waitSeconds === 0 ? null : retryLater('rate_limited', waitSeconds)
  }
}

/** Charges the client of a request for the time that its answer has taken of the main thread, in ms. */
export type Charge = (head: RequestHead, costMs: number) => void

/** Main thread's time that is paid for with one request. */
export const REQUEST_MS = 5

/** What an answer costs beyond its own request: another request for each `REQUEST_MS`. */
export function chargeFor({ name, clientOf, limiters, counts }: Omit<RateLimitSettings, 'perMinute'>): Charge {
  return (head, costMs) => {
    const requests = Math.floor(costMs / REQUEST_MS)
    const limiter = requests === 0 ? undefined : limiters.all.get(name)
    if (limiter === undefined) return
    const client = clientOf(head)
    if (counts(head, client)) limiter.charge(client.key, requests)
  }
}

/** The rate limiters of a service by name, of which its other processes have the same. */
export class Limiters {
  private readonly byName = new Map<string, RateLimiter>()
  private isShared = false

  constructor(private readonly clock: Clock) {}

  /** Makes a limiter. `perMinute` is an integer from 1 to 60 000 000. */
  add(name: string, perMinute: number): RateLimiter {
    if (this.byName.has(name)) throw new Error(`there is a limit ${name} already`)
    const limiter = new RateLimiter(perMinute, this.clock)
    this.byName.set(name, limiter)
    if (this.isShared) limiter.share()
    return limiter
  }

  /** There are other processes, which are to be told what clients take from now on. */
  share(): void {
    this.isShared = true
    for (const limiter of this.byName.values()) limiter.share()
  }

  get all(): ReadonlyMap<string, RateLimiter> {
    return this.byName
  }
}

/** What a client has taken out of its allowance, in µs of the time in which it is refilled. */
export interface Spent {
  readonly client: string
  readonly micros: number
}

/**
 * Allows each client a number of requests per minute, evenly refilled, with bursts of up to a minute's worth: the
 * generic cell rate algorithm (ITU-T I.371). It keeps one number for each client: the time at which its allowance will
 * be whole again, in integer microseconds, so that nothing is ever rounded.
 */
export class RateLimiter {
  private readonly wholeAt: BoundedMap<string, number>
  /** What clients have taken that other processes do not know of; null where there are none. */
  private unshared: Map<string, number> | null = null
  private readonly intervalMicros: number
  private readonly burstMicros: number

  /** `perMinute` is an integer from 1 to 60 000 000, `trackedMax` at least 2. */
  constructor(
    perMinute: number,
    private readonly clock: Clock,
    private readonly trackedMax: number = TRACKED_CLIENTS_MAX,
  ) {
    this.wholeAt = new BoundedMap(trackedMax)
    this.intervalMicros = Math.floor(MINUTE_MICROS / perMinute)
    this.burstMicros = this.intervalMicros * perMinute
  }

  /** Takes one request from the client's allowance. Returns 0, or the seconds until the next one is allowed. */
  take(client: string): number {
    const now = this.nowMicros
    const known = this.wholeAt.get(client) ?? now
    // Further ahead than anybody can be means that the clock was set back: no client waits for that.
    const wholeAt = known > now + this.debtMax ? now : Math.max(known, now)
    const next = wholeAt + this.intervalMicros
    const waitMicros = next - now - this.burstMicros
    const isRefused = waitMicros > 0
    this.wholeAt.set(client, isRefused ? wholeAt : next)
    if (!isRefused && this.unshared !== null && this.unshared.size < this.trackedMax) {
      this.unshared.set(client, (this.unshared.get(client) ?? 0) + this.intervalMicros)
    }
    return isRefused ? Math.ceil(waitMicros / MICROS_PER_SECOND) : 0
  }

  /** Takes requests that were served already; a client may owe them. */
  charge(client: string, requests: number): void {
    const micros = requests * this.intervalMicros
    const now = this.nowMicros
    this.wholeAt.set(client, Math.min(Math.max(this.wholeAt.get(client) ?? now, now) + micros, now + this.debtMax))
    if (this.unshared !== null && this.unshared.size < this.trackedMax) {
      this.unshared.set(client, (this.unshared.get(client) ?? 0) + micros)
    }
  }

  /** From now on, what clients take is kept for `takeSpent`. */
  share(): void {
    this.unshared ??= new Map()
  }

  /** The most that a client can owe, in µs: its whole allowance, and what several processes have let pass beyond it. */
  private get debtMax(): number {
    return this.burstMicros * (1 + OVERDRAFT_BURSTS)
  }

  /**
   * What busy clients have taken since the last call, at most `limit` of them. Those who take little are not told of: each process
   * allows them their whole allowance.
   */
  takeSpent(limit: number): readonly Spent[] {
    if (this.unshared === null) return []
    const now = this.nowMicros
    const spent: Spent[] = []
    for (const [client, micros] of this.unshared) {
      const owed = (this.wholeAt.get(client) ?? now) - now
      const isBusy = owed * BUSY_PART >= this.burstMicros
      if (isBusy && spent.length === limit) continue
      if (isBusy) spent.push({ client, micros })
      if (isBusy || owed <= 0) this.unshared.delete(client)
    }
    return spent
  }

  /** A client has taken so much at all processes together, in µs. */
  owes(client: string, micros: number): void {
    const now = this.nowMicros
    const owed = now + Math.min(micros, this.debtMax)
    this.wholeAt.set(client, Math.max(this.wholeAt.get(client) ?? now, owed))
  }

  private get nowMicros(): number {
    return this.clock.now() * MICROS_PER_MS
  }
}
