import type { Clock } from '../../clock.js'
import { retryLater } from '../../domain/failure.js'
import type { HeadGuard } from '../router.js'
import type { RequestHead } from '../server.js'
import type { Client, ClientOf } from './client-address.js'

const MINUTE_MICROS = 60_000_000
const MICROS_PER_MS = 1_000
const MICROS_PER_SECOND = 1_000_000

/** Clients remembered at once, about 10 MB. Beyond this, those not seen for longest are forgotten. */
const TRACKED_CLIENTS_MAX = 65_536

export interface RateLimitSettings {
  /** Requests per minute for each client; 0 for no limit. */
  readonly perMinute: number
  readonly clientOf: ClientOf
  readonly clock: Clock
  /** Whether the limit applies to a request. */
  readonly counts: (head: RequestHead, client: Client) => boolean
}

/** Answers `rate_limited` to a client that has used up its minute's worth of requests. Null without a limit. */
export function limitRate({ perMinute, clientOf, clock, counts }: RateLimitSettings): HeadGuard | null {
  if (perMinute === 0) return null
  const limiter = new RateLimiter(perMinute, clock)
  return (head) => {
    const client = clientOf(head)
    const waitSeconds = counts(head, client) ? limiter.take(client.key) : 0
    return waitSeconds === 0 ? null : retryLater('rate_limited', waitSeconds)
  }
}

/**
 * Allows each client a number of requests per minute, evenly refilled, with bursts of up to a minute's worth: the
 * generic cell rate algorithm (ITU-T I.371). It keeps one number for each client: the time at which its allowance will
 * be whole again, in integer microseconds, so that nothing is ever rounded.
 *
 * Clients are kept in two generations. A client that sends a request enters the recent one. When that is full, or a
 * minute old, it becomes the earlier one, and the previous earlier one is dropped. An allowance is whole after a minute
 * without requests, so dropping by age forgets nothing; dropping by number bounds the memory. There are no timers, and
 * all calls take equally long. One `Map` in order of last use would not: its iterators step over deleted entries.
 */
export class RateLimiter {
  private recent = new Map<string, number>()
  private earlier: ReadonlyMap<string, number> = new Map()
  private recentSince: number
  private readonly generationMax: number
  private readonly intervalMicros: number
  private readonly burstMicros: number

  /** `perMinute` is an integer from 1 to 60 000 000, `trackedMax` at least 2. */
  constructor(
    perMinute: number,
    private readonly clock: Clock,
    trackedMax: number = TRACKED_CLIENTS_MAX,
  ) {
    this.recentSince = clock.now() * MICROS_PER_MS
    this.generationMax = Math.floor(trackedMax / 2)
    this.intervalMicros = Math.floor(MINUTE_MICROS / perMinute)
    this.burstMicros = this.intervalMicros * perMinute
  }

  /** How many numbers are kept. A client may have one in each generation. */
  get size(): number {
    return this.recent.size + this.earlier.size
  }

  /** Takes one request from the client's allowance. Returns 0, or the seconds until the next one is allowed. */
  take(client: string): number {
    const now = this.clock.now() * MICROS_PER_MS
    const known = this.recent.get(client) ?? this.earlier.get(client) ?? now
    // Further ahead than a whole burst means that the clock was set back: no client waits for that.
    const wholeAt = known > now + this.burstMicros ? now : Math.max(known, now)
    const next = wholeAt + this.intervalMicros
    const waitMicros = next - now - this.burstMicros
    this.turnGeneration(now)
    this.recent.set(client, waitMicros > 0 ? wholeAt : next)
    return waitMicros > 0 ? Math.ceil(waitMicros / MICROS_PER_SECOND) : 0
  }

  private turnGeneration(now: number): void {
    this.recentSince = Math.min(this.recentSince, now)
    if (this.recent.size < this.generationMax && now - this.recentSince < MINUTE_MICROS) return
    this.earlier = this.recent
    this.recent = new Map()
    this.recentSince = now
  }
}
