import { BoundedMap } from '../../base/bounded-map.js'
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
 */
export class RateLimiter {
  private readonly wholeAt: BoundedMap<string, number>
  private readonly intervalMicros: number
  private readonly burstMicros: number

  /** `perMinute` is an integer from 1 to 60 000 000, `trackedMax` at least 2. */
  constructor(
    perMinute: number,
    private readonly clock: Clock,
    trackedMax: number = TRACKED_CLIENTS_MAX,
  ) {
    this.wholeAt = new BoundedMap(trackedMax)
    this.intervalMicros = Math.floor(MINUTE_MICROS / perMinute)
    this.burstMicros = this.intervalMicros * perMinute
  }

  /** Takes one request from the client's allowance. Returns 0, or the seconds until the next one is allowed. */
  take(client: string): number {
    const now = this.clock.now() * MICROS_PER_MS
    const known = this.wholeAt.get(client) ?? now
    // Further ahead than a whole burst means that the clock was set back: no client waits for that.
    const wholeAt = known > now + this.burstMicros ? now : Math.max(known, now)
    const next = wholeAt + this.intervalMicros
    const waitMicros = next - now - this.burstMicros
    this.wholeAt.set(client, waitMicros > 0 ? wholeAt : next)
    return waitMicros > 0 ? Math.ceil(waitMicros / MICROS_PER_SECOND) : 0
  }
}
