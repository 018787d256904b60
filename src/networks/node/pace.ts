/** The slowest pace, in calls a second. Where a node allows still less, its refusals make pauses. */
export const CALLS_PER_SECOND_MIN = 0.5
/** Below this pace reading is noticeably slower than at a node without a limit. */
export const SLOW_CALLS_PER_SECOND = 2.5
/** The longest pause that a node can ask for, so that it cannot disable itself for good. */
export const ASKED_PAUSE_MAX_MS = 5 * 60_000
/** Nodes round the pauses that they ask for, and some start a pause anew when a call comes too early. */
export const ASKED_MARGIN_MS = 1000
/** The pauses after refusals in a row that ask for none. The third is longer than suspensions of half a minute. */
export const PAUSES_MS: readonly number[] = [2000, 8000, 32_000, 60_000]
/** A node that asks for a pause of this length makes every refusal expensive. */
const PUNISHING_MS = 5000

/** The part of what a node served in a second that is tried first. */
const CAUTION = 0.8
const SERVED_WINDOW_MS = 1000
const SERVED_TIMES_MAX = 200
/** Where fewer calls were served between two refusals, the pace was far too high. */
const FEW_SERVED = 3
/**
 * A pace well below the refused one that served more calls was not too high: some nodes refuse a call now and then at
 * every pace. It is lowered a little and comes back soon.
 */
const MANY_SERVED = 15
const LITTLE_LESS = 0.8
const CEILING_LOWERED = 0.95
/** The pace grows by this factor, after so many calls in a row that had to wait for it, and not sooner than after a time. */
const GROWTH = 1.25
const GROW_AFTER = 5
const GROW_AFTER_MS = 5000
/** The part of a pace that was refused which is approached at once. Above it the pace grows seldom. */
const CEILING_PART = 0.8
/** How long a refused pace is not tried again: longer each time that it is refused again, and where that is expensive. */
const PROBE_AFTER_MS = 2 * 60_000
export const PUNISHED_PROBE_AFTER_MS = 10 * 60_000
const PROBE_AFTER_MAX_MS = 2 * 60 * 60_000
/** A pace that exceeds the refused one by more before it is refused itself does not confirm it. */
const SAME_LIMIT = 1.6
/** So long after the last refusal there is no limit any more: longer each time that there still was one. */
export const UNLIMITED_AFTER_MS = 60 * 60_000
const UNLIMITED_AFTER_MAX_MS = 24 * 60 * 60_000
/** Paces above this one make no difference. */
const UNLIMITED_FROM = 100

/** A call that was begun, by its number. */
export type BegunCall = number

/**
 * How often a node may be called, learnt from its refusals. It is unlimited until the first one. From then on calls are
 * spaced evenly, because a node that allows a burst also allows single calls, and the other way round it is not so. A
 * refusal halves the pace, served calls raise it again, and a pace that was refused is tried again only after long.
 *
 * It reads no clock: each method takes the time, in milliseconds. A time that goes back ends what it would prolong.
 */
export class Pace {
  private rate = Number.POSITIVE_INFINITY
  /** The pace before the limit was last forgotten; null when there was none. */
  private learnt: number | null = null
  /** The lowest pace that was refused lately, and when. */
  private ceiling = { rate: Number.POSITIVE_INFINITY, atMs: 0 }
  private isProbing = false
  private probeAfterMs = PROBE_AFTER_MS
  private unlimitedAfterMs = UNLIMITED_AFTER_MS
  private begunCalls = 0
  private begunAtMs = Number.NEGATIVE_INFINITY
  /** The newest call that had been begun at the last refusal. */
  private refusedUpTo = 0
  private refusedAtMs = 0
  private refusalsInRow = 0
  private pause = { fromMs: 0, ms: 0 }
  private servedTimesMs: number[] = []
  private servedSinceRefusal = 0
  private servedAfterWait = 0
  private servedAtPace = 0
  private changedAtMs = 0
  /** What was served in the second before the first refusal. */
  private servedAtOnce = 0
  /** When the pace was last lowered, and for how long the node has asked to pause since. */
  private slowedAtMs = 0
  private askedMs = 0

  /** Calls a second; infinite while no limit is known. */
  callsPerSecond(nowMs: number): number {
    if (Number.isFinite(this.rate) && Math.abs(nowMs - this.refusedAtMs) >= this.unlimitedAfterMs) {
      this.learnt = this.rate
      this.rate = Number.POSITIVE_INFINITY
    }
    return this.rate
  }

  /** How long the next call has to wait. */
  waitMs(nowMs: number): number {
    const spacingMs = 1000 / this.callsPerSecond(nowMs)
    return Math.max(this.pauseMs(nowMs), left({ fromMs: this.begunAtMs, ms: spacingMs }, nowMs))
  }

  /** How much is left of the pause after the last refusal. */
  pauseMs(nowMs: number): number {
    return left(this.pause, nowMs)
  }

  begun(nowMs: number): BegunCall {
    this.begunCalls += 1
    this.begunAtMs = nowMs
    return this.begunCalls
  }

  /** The node did what was asked. `hasWaited`: the call could have been made earlier at a higher pace. */
  served(call: BegunCall, hasWaited: boolean, nowMs: number): void {
    this.servedTimesMs.push(nowMs)
    if (this.servedTimesMs.length > SERVED_TIMES_MAX) this.servedTimesMs.shift()
    if (call <= this.refusedUpTo) return
    this.refusalsInRow = 0
    this.servedSinceRefusal += 1
    this.servedAtPace += 1
    if (!hasWaited || !Number.isFinite(this.callsPerSecond(nowMs))) return
    this.servedAfterWait += 1
    const isDue = Math.abs(nowMs - this.changedAtMs) >= GROW_AFTER_MS
    if (isDue && this.servedAfterWait >= GROW_AFTER) this.grow(nowMs)
  }

  /**
   * The node refused a call for its rate, and asked for a pause, or for none with 0. `isDivisible`: it was a batch, which comes
   * again in smaller parts. Its refusal may be about its size, so the next pause is no longer for it.
   */
  refused(call: BegunCall, askedMs: number, nowMs: number, isDivisible = false): void {
    const askedPauseMs = askedMs === 0 ? 0 : Math.min(askedMs, ASKED_PAUSE_MAX_MS) + ASKED_MARGIN_MS
    this.holdFor(askedPauseMs, nowMs)
    // It was under way when another one was refused: that is the same refusal.
    if (call <= this.refusedUpTo) return
    const own = PAUSES_MS[isDivisible ? 0 : Math.min(this.refusalsInRow, PAUSES_MS.length - 1)] ?? 0
    this.holdFor(own, nowMs)
    // Refusals without a served call between them say that the pause was too short, and nothing of the pace.
    if (this.refusalsInRow === 0) this.slowDown(askedMs, nowMs)
    this.askedMs += askedMs
    if (askedMs >= PUNISHING_MS || this.refusalsInRow > 0) this.punished(nowMs)
    if (!isDivisible || this.refusalsInRow === 0) this.refusalsInRow += 1
    this.refusedUpTo = this.begunCalls
    this.refusedAtMs = nowMs
    this.servedSinceRefusal = 0
    this.servedAfterWait = 0
  }

  private holdFor(ms: number, nowMs: number): void {
    if (ms > this.pauseMs(nowMs)) this.pause = { fromMs: nowMs, ms }
  }

  private slowDown(askedMs: number, nowMs: number): void {
    const refused = this.callsPerSecond(nowMs)
    const isExpensive = askedMs >= PUNISHING_MS
    const hasHeld = this.servedAtPace >= MANY_SERVED && refused <= CEILING_PART * this.ceiling.rate
    if (hasHeld && Number.isFinite(this.ceiling.rate) && !isExpensive) {
      this.rate = LITTLE_LESS * refused
      this.ceiling = { ...this.ceiling, rate: CEILING_LOWERED * this.ceiling.rate }
    } else if (Number.isFinite(refused)) {
      const isConfirmed = this.isProbing && refused <= SAME_LIMIT * this.ceiling.rate
      if (isConfirmed) this.probeAfterMs = Math.min(2 * this.probeAfterMs, PROBE_AFTER_MAX_MS)
      else this.probeAfterMs = isExpensive ? PUNISHED_PROBE_AFTER_MS : PROBE_AFTER_MS
      this.ceiling = { rate: refused, atMs: nowMs }
      const sustained = (1000 * this.servedSinceRefusal) / Math.max(1, Math.abs(nowMs - this.slowedAtMs - this.askedMs))
      this.rate = this.servedSinceRefusal < FEW_SERVED ? CALLS_PER_SECOND_MIN : Math.min(refused / 2, sustained)
    } else {
      this.ceiling = { ...this.ceiling, atMs: nowMs }
      const isRepeated = this.learnt !== null && Math.abs(nowMs - this.refusedAtMs) < 2 * this.unlimitedAfterMs
      this.unlimitedAfterMs = isRepeated
        ? Math.min(2 * this.unlimitedAfterMs, UNLIMITED_AFTER_MAX_MS)
        : UNLIMITED_AFTER_MS
      this.servedAtOnce = this.servedTimesMs.filter((atMs) => Math.abs(nowMs - atMs) <= SERVED_WINDOW_MS).length
      this.rate = Math.min(CAUTION * this.servedAtOnce, this.learnt ?? Number.POSITIVE_INFINITY)
    }
    this.rate = Math.max(CALLS_PER_SECOND_MIN, this.rate)
    this.changedAtMs = nowMs
    this.servedAtPace = 0
    this.slowedAtMs = nowMs
    this.askedMs = 0
    this.isProbing = false
  }

  /**
   * Refusals are expensive here, so the first is taken for the node's word: what it served within a second just before is
   * not exceeded for a while.
   */
  private punished(nowMs: number): void {
    if (this.ceiling.rate === Number.POSITIVE_INFINITY) {
      this.ceiling = { rate: Math.max(1, this.servedAtOnce), atMs: nowMs }
      this.rate = CALLS_PER_SECOND_MIN
      this.probeAfterMs = PUNISHED_PROBE_AFTER_MS
    }
  }

  private grow(nowMs: number): void {
    this.servedAfterWait = 0
    this.changedAtMs = nowMs
    const next = this.rate * GROWTH
    if (next > this.ceiling.rate * CEILING_PART) {
      if (Math.abs(nowMs - this.ceiling.atMs) < this.probeAfterMs) return
      this.isProbing = true
    }
    this.servedAtPace = 0
    this.rate = next > UNLIMITED_FROM ? Number.POSITIVE_INFINITY : next
  }
}

/** What is left of a time span; nothing when the clock was set back to before its beginning. */
function left({ fromMs, ms }: { readonly fromMs: number; readonly ms: number }, nowMs: number): number {
  const sinceMs = nowMs - fromMs
  return sinceMs < 0 ? 0 : Math.max(0, ms - sinceMs)
}
