import type { Clock } from '../../clock.js'

const MINUTE_MICROS = 60_000_000
const MICROS_PER_MS = 1_000
const MICROS_PER_SECOND = 1_000_000

/** Clients remembered at once, about 10 MB; beyond it those that were heard of longest ago are forgotten. */
const TRACKED_CLIENTS_MAX = 65_536

/**
 * So many requests a minute for each client, evenly refilled, with bursts of up to a minute's worth: the generic cell rate
 * algorithm (ITU-T I.371). One number is kept for each client, the time at which its allowance will be whole again, in
 * integer microseconds, so that nothing is ever rounded.
 *
 * Clients are kept in two generations. Whoever is heard of enters the recent one; when that is full, or a minute old, it
 * becomes the earlier one, and the one before is dropped whole. After a minute of silence an allowance is whole again, so
 * dropping by age forgets nothing, and dropping by number bounds the memory. There are no timers, and no call takes longer
 * than another, which an order of last use in one `Map` would cost: its iterators step over what was deleted.
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

  /** Numbers that are kept; a client may have one in each generation. */
  get size(): number {
    return this.recent.size + this.earlier.size
  }

  /** Takes one request from the client's allowance: 0, or the whole seconds after which there is one again. */
  take(client: string): number {
    const now = this.clock.now() * MICROS_PER_MS
    const known = this.recent.get(client) ?? this.earlier.get(client) ?? now
    // Never further ahead than a whole burst, unless the clock was set back: then nobody is made to wait for it.
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
