import { CEILING_PART, PaceCeiling } from './pace-ceiling.js'
import { RecentRefusals } from './recent-refusals.js'

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
/** The pause after the first of such refusals where they come at every pace: it need not be long. */
const WHIM_PAUSE_MS = 250
/** A node that asks for a pause of this length makes every refusal expensive. */
const PUNISHING_MS = 5000

/** The part of what a node served in a second that is tried first. */
const CAUTION = 0.8
const SERVED_WINDOW_MS = 1000
const SERVED_TIMES_MAX = 200
/** Where fewer calls were served before a refusal, the pace was far too high. */
const FEW_SERVED = 3
/** A refusal after as many served calls at a pace that keeps to the learnt limit is not due to a limit. */
const MANY_SERVED = 15
/** After more served calls it may be: then the limit is exceeded by very little. */
const VERY_MANY_SERVED = 250
/** For so long after such a refusal others are expected, and only those that come close to each other tell of a limit. */
export const WHIMSICAL_MS = 10 * 60_000
/** The refusals in a row from which the node is taken to have suspended its client, although it does not say so. */
const SUSPENDED_FROM = 3
/** The pace grows by this factor, after so many calls in a row that had to wait for it, and not sooner than after a time. */
const GROWTH = 1.25
const GROW_AFTER = 5
const GROW_AFTER_MS = 5000
/** So long after the last refusal there is no limit any more: longer each time that there still was one. */
export const UNLIMITED_AFTER_MS = 60 * 60_000
const UNLIMITED_AFTER_MAX_MS = 24 * 60 * 60_000
/** Paces above this one make no difference. */
const UNLIMITED_FROM = 100

/** A call that was begun, by its number. */
export type BegunCall = number

/** The pace at the first of some refusals in a row. */
interface Met {
  /** Calls a second; what was served in the last one while no limit was known. */
  readonly rate: number
  readonly wasUnlimited: boolean
  readonly wasProbed: boolean
  readonly served: number
}

/**
 * How often a node may be called, learnt from its refusals. It is unlimited until they tell of a limit: until they suspend the
 * client, or repeat within a few calls. Some nodes refuse a call now and then at every pace: an isolated refusal is only
 * waited out. From then on calls are spaced evenly, because a node that allows a burst also allows single calls, and the
 * other way round it is not so. Served calls raise the pace again, and one that was refused is tried again only after long.
 * When a node refuses a call below what it was taken to allow, there is no such limit.
 *
 * It reads no clock: each method takes the time, in milliseconds. A time that goes back ends what it would prolong.
 */
export class Pace {
  private rate = Number.POSITIVE_INFINITY
  /** The pace before the limit was last forgotten; null when there was none. */
  private learnt: number | null = null
  private readonly ceiling = new PaceCeiling()
  /** Whether the node has asked for a long pause, so that the limit is certain. */
  private isCertain = false
  /** Up to this pace the node allows all calls, if there is such a limit. */
  private allowed = 0
  private unlimitedAfterMs = UNLIMITED_AFTER_MS
  private begunCalls = 0
  private begunAtMs = Number.NEGATIVE_INFINITY
  /** The newest call that had been begun at the last refusal. */
  private refusedUpTo = 0
  private refusedAtMs = 0
  private refusalsInRow = 0
  /** Whether the refusals in a row were taken for a suspension. */
  private isSuspended = false
  private met: Met | null = null
  private readonly recent = new RecentRefusals()
  /** Refusals that no limit explains, and how many calls are served between them. */
  private whim = { atMs: Number.NEGATIVE_INFINITY, served: 0 }
  private pause = { fromMs: 0, ms: 0 }
  private servedTimesMs: number[] = []
  private servedInTotal = 0
  private servedSinceRefusal = 0
  private servedAfterWait = 0
  private changedAtMs = 0
  /** When the pace was last lowered, and for how long the node has asked to pause since. */
  private slowedAtMs = 0
  private askedMs = 0

  /** Calls a second; infinite while no limit is known. */
  callsPerSecond(nowMs: number): number {
    if (Number.isFinite(this.rate) && Math.abs(nowMs - this.refusedAtMs) >= this.unlimitedAfterMs) {
      this.learnt = this.rate
      this.rate = Number.POSITIVE_INFINITY
      this.isCertain = false
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
    this.isSuspended = false
    this.servedInTotal += 1
    this.servedSinceRefusal += 1
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
    this.learn(askedMs, nowMs)
    this.holdFor(this.ownPauseMs(isDivisible, nowMs), nowMs)
    this.askedMs += askedMs
    if (!isDivisible || this.refusalsInRow === 0) this.refusalsInRow += 1
    this.refusedUpTo = this.begunCalls
    this.refusedAtMs = nowMs
    this.servedSinceRefusal = 0
    this.servedAfterWait = 0
  }

  private ownPauseMs(isDivisible: boolean, nowMs: number): number {
    const pausesMs = this.isWhimsical(nowMs) ? [WHIM_PAUSE_MS, ...PAUSES_MS] : PAUSES_MS
    return pausesMs[isDivisible ? 0 : Math.min(this.refusalsInRow, pausesMs.length - 1)] ?? 0
  }

  private isWhimsical(nowMs: number): boolean {
    return Math.abs(nowMs - this.whim.atMs) < WHIMSICAL_MS
  }

  private holdFor(ms: number, nowMs: number): void {
    if (ms > this.pauseMs(nowMs)) this.pause = { fromMs: nowMs, ms }
  }

  private learn(askedMs: number, nowMs: number): void {
    const servedAtOnce = this.servedTimesMs.filter((atMs) => Math.abs(nowMs - atMs) <= SERVED_WINDOW_MS).length
    this.recent.note({ served: this.servedInTotal, servedAtOnce, atMs: nowMs })
    const isFirst = this.refusalsInRow === 0
    const met = isFirst ? this.meet(servedAtOnce, nowMs) : this.met
    this.met = met
    if (met === null || this.isSuspended) return
    const isAsked = askedMs >= PUNISHING_MS
    if (isAsked) this.isCertain = true
    if (isAsked || this.refusalsInRow + 1 >= SUSPENDED_FROM) this.noteSuspension(met, nowMs)
    // Refusals without a served call between them say that the pause was too short, and nothing of the pace.
    else if (isFirst) this.judge(met, nowMs)
  }

  private meet(servedAtOnce: number, nowMs: number): Met {
    const rate = this.callsPerSecond(nowMs)
    const wasUnlimited = !Number.isFinite(rate)
    return {
      rate: wasUnlimited ? Math.max(1, servedAtOnce) : rate,
      wasUnlimited,
      wasProbed: this.ceiling.isProbed,
      served: this.servedSinceRefusal,
    }
  }

  /** Refusals are expensive here, so the first one counts: its pace is not reached again for a while. */
  private noteSuspension({ rate, wasUnlimited, wasProbed, served }: Met, nowMs: number): void {
    this.isSuspended = true
    const sustained = (1000 * served) / Math.max(1, Math.abs(nowMs - this.slowedAtMs - this.askedMs))
    if (wasUnlimited) this.noteLimitAgain(nowMs)
    if (wasUnlimited && this.ceiling.isKnown) {
      this.slowDown(Math.min(CAUTION * rate, this.learnt ?? Number.POSITIVE_INFINITY), nowMs)
      return
    }
    this.ceiling.refused(rate, wasProbed, true, nowMs)
    this.slowDown(wasUnlimited || served < FEW_SERVED ? CALLS_PER_SECOND_MIN : Math.min(rate / 2, sustained), nowMs)
  }

  /** Whether a refusal tells of a limit, that there is none, or nothing. */
  private judge({ rate, wasUnlimited, wasProbed, served }: Met, nowMs: number): void {
    const isWhimsical = this.isWhimsical(nowMs)
    const isAllowed = rate <= this.allowed
    const isManyServed = served >= MANY_SERVED && served < VERY_MANY_SERVED
    const repeated = this.recent.servedWhileRepeated(isWhimsical ? this.whim.served : null)
    if (repeated !== null) this.whim.atMs = Number.NEGATIVE_INFINITY
    if (wasUnlimited) {
      const isAtStart = this.servedInTotal < FEW_SERVED
      if (repeated === null && !isAtStart && this.learnt === null) return
      this.noteLimitAgain(nowMs)
      const { perSecond, atOnce } = repeated ?? { perSecond: rate, atOnce: rate }
      const lowered = CAUTION * Math.max(perSecond, atOnce)
      this.slowDown(Math.min(lowered, this.learnt ?? Number.POSITIVE_INFINITY), nowMs, CAUTION * perSecond)
    } else if (isManyServed && (isAllowed || isWhimsical) && !this.isCertain) {
      this.forgetLimit(MANY_SERVED, nowMs)
    } else if (repeated !== null && rate === CALLS_PER_SECOND_MIN && repeated.perRefusal > 1 && !this.isCertain) {
      // A limit below the slowest pace would let one call pass after a pause. These are refused at every pace.
      this.forgetLimit(repeated.perRefusal, nowMs)
    } else if (repeated !== null) {
      this.ceiling.refused(rate, wasProbed, false, nowMs)
      // What a node could have served during the pauses is lost, so it may allow more than what it has served.
      const sure = CAUTION * repeated.perSecond
      this.slowDown(Math.min(CAUTION * rate, Math.max(rate / 2, sure)), nowMs, sure)
    } else if (served >= VERY_MANY_SERVED || !(isAllowed || isWhimsical)) {
      this.ceiling.refused(rate, wasProbed, false, nowMs)
      this.slowDown(CEILING_PART * rate, nowMs, Math.max(this.allowed, CEILING_PART ** 2 * rate))
    }
  }

  /** `served`: how many calls are served between refusals that are not due to a limit. */
  private forgetLimit(served: number, nowMs: number): void {
    this.whim = { atMs: nowMs, served }
    this.rate = Number.POSITIVE_INFINITY
    this.learnt = null
    this.allowed = 0
    this.ceiling.forget()
  }

  private noteLimitAgain(nowMs: number): void {
    const isRepeated = this.learnt !== null && Math.abs(nowMs - this.refusedAtMs) < 2 * this.unlimitedAfterMs
    this.unlimitedAfterMs = isRepeated
      ? Math.min(2 * this.unlimitedAfterMs, UNLIMITED_AFTER_MAX_MS)
      : UNLIMITED_AFTER_MS
    this.ceiling.holds(nowMs)
  }

  /** `allowed`: what the node is sure to allow, where the pace may have grown beyond a limit before it was refused. */
  private slowDown(rate: number, nowMs: number, allowed = rate): void {
    this.rate = Math.max(CALLS_PER_SECOND_MIN, rate)
    this.allowed = Math.max(CALLS_PER_SECOND_MIN, allowed)
    this.changedAtMs = nowMs
    this.slowedAtMs = nowMs
    this.askedMs = 0
    this.ceiling.isProbed = false
  }

  private grow(nowMs: number): void {
    this.servedAfterWait = 0
    this.changedAtMs = nowMs
    const next = this.rate * GROWTH
    if (this.ceiling.allows(next, nowMs)) this.rate = next > UNLIMITED_FROM ? Number.POSITIVE_INFINITY : next
  }
}

/** What is left of a time span; nothing when the clock was set back to before its beginning. */
function left({ fromMs, ms }: { readonly fromMs: number; readonly ms: number }, nowMs: number): number {
  const sinceMs = nowMs - fromMs
  return sinceMs < 0 ? 0 : Math.max(0, ms - sinceMs)
}
