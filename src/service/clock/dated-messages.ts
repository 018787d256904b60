import type { Span } from '../../domain/clock-offset.js'
import { WindowedMax } from './windowed-max.js'

/** What was seen so long ago says nothing any more: stopwatches have their drift, too. */
export const FORGOTTEN_AFTER_MS = 15 * 60_000
/** Messages that become younger by more than this are made up for: they were late, whatever the clock. */
const RISE_MAX_MS = 1000
/** After a longer pause between two looks nobody knows how old a message was when it came. */
const GAP_MAX_MS = 20_000

/** What is assumed about a kind of message. */
export interface DatedKind {
  /** Messages may be dated ahead of the true time by so much. */
  readonly aheadMaxMs: number
  /** The youngest of several messages is no older than this when it comes. */
  readonly ageMaxMs: number
  /** So many messages, over so long a time, are several. */
  readonly severalCount: number
  readonly severalMs: number
}

/**
 * The time by messages that carry the time at which they were made, such as blocks. One from the future shows that the clock is
 * slow. An old one shows nothing: it may have been late, or sent again. That the youngest of several is old shows that the clock is
 * fast, unless they become younger: then somebody catches up.
 *
 * Times are told as the true time at the moment 0 of the stopwatch, so that they hold when the clock is set.
 */
export class DatedMessages {
  /** The moment 0 by the youngest message, if it was made when it was seen, and if it was made when it was not there yet. */
  private readonly seen = new WindowedMax()
  private readonly absent = new WindowedMax()
  private lastMs = Number.NEGATIVE_INFINITY
  private steady = { sinceMs: 0, count: 0 }

  constructor(private readonly kind: DatedKind) {}

  /**
   * A message that was made at `timeMs`, Unix ms, was there when the stopwatch showed `elapsedMs`, and was not when it showed
   * `absentAtMs`; null when nobody looked before.
   */
  saw(timeMs: number, elapsedMs: number, absentAtMs: number | null): void {
    const known = this.seen.max
    this.seen.add(timeMs - elapsedMs, elapsedMs)
    this.lastMs = elapsedMs
    if (this.seen.max > known + RISE_MAX_MS) this.steady = { sinceMs: elapsedMs, count: 0 }
    if (absentAtMs === null || elapsedMs - absentAtMs > GAP_MAX_MS) return
    this.absent.add(timeMs - absentAtMs, elapsedMs)
    this.steady.count += 1
  }

  /** The time at the moment 0 by the youngest message, as if that had just been made; null when none was seen lately. */
  likely(elapsedMs: number): number | null {
    return elapsedMs - this.lastMs > FORGOTTEN_AFTER_MS ? null : this.seen.max
  }

  /** Where the true time at the moment 0 lies; null when no message was seen lately. */
  start(elapsedMs: number): Span | null {
    const likely = this.likely(elapsedMs)
    if (likely === null) return null
    const { aheadMaxMs, ageMaxMs, severalCount, severalMs } = this.kind
    const areSeveral = this.steady.count >= severalCount && this.lastMs - this.steady.sinceMs >= severalMs
    return { from: likely - aheadMaxMs, to: areSeveral ? this.absent.max + ageMaxMs : Number.POSITIVE_INFINITY }
  }
}
