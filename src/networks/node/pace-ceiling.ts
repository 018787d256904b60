/** The part of a pace that was refused which is kept to, and approached at once. Above it the pace grows seldom. */
export const CEILING_PART = 0.8
/** How long a refused pace is not tried again: longer each time that it is refused again, and where that is expensive. */
const PROBE_AFTER_MS = 2 * 60_000
export const PUNISHED_PROBE_AFTER_MS = 10 * 60_000
const PROBE_AFTER_MAX_MS = 2 * 60 * 60_000
/** A pace that exceeds the refused one by more before it is refused itself does not confirm it. */
const SAME_LIMIT = 1.6

/** The lowest pace that a node has refused lately, in calls a second. It is tried again, and later each time that it is refused. */
export class PaceCeiling {
  private rate = Number.POSITIVE_INFINITY
  private atMs = 0
  private probeAfterMs = PROBE_AFTER_MS
  /** Whether the pace has grown up to it or beyond. */
  isProbed = false

  get isKnown(): boolean {
    return Number.isFinite(this.rate)
  }

  /** `wasProbed`: whether it had been tried again. `isExpensive`: the refusal suspends the client. */
  refused(rate: number, wasProbed: boolean, isExpensive: boolean, nowMs: number): void {
    const isConfirmed = wasProbed && rate <= SAME_LIMIT * this.rate
    if (isConfirmed) this.probeAfterMs = Math.min(2 * this.probeAfterMs, PROBE_AFTER_MAX_MS)
    else this.probeAfterMs = isExpensive ? PUNISHED_PROBE_AFTER_MS : PROBE_AFTER_MS
    this.rate = rate
    this.atMs = nowMs
  }

  /** The node limits the rate again: this is not tried for as long again. */
  holds(nowMs: number): void {
    this.atMs = nowMs
  }

  /** There is no such limit. */
  forget(): void {
    this.rate = Number.POSITIVE_INFINITY
    this.probeAfterMs = PROBE_AFTER_MS
    this.isProbed = false
  }

  /** Whether the pace may grow to a rate now. */
  allows(rate: number, nowMs: number): boolean {
    if (rate <= this.rate * CEILING_PART) return true
    if (Math.abs(nowMs - this.atMs) < this.probeAfterMs) return false
    this.isProbed = true
    return true
  }
}
