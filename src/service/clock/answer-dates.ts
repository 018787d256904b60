import { commonSpan, type Span } from '../../domain/clock-offset.js'
import type { AnswerDate } from '../../networks/node/answer-date.js'
import { FORGOTTEN_AFTER_MS } from './dated-messages.js'

/** What is common to the answers of a span as long as this is kept, and that of the span before. */
const WINDOW_MS = 60_000
/** A `Date` header has whole seconds, cut off. */
const SECOND_MS = 1000
/** Servers that write the header once a second write it a little late. */
const LATE_MAX_MS = 500

/**
 * The time by the `Date` headers of one server. Each was written between the question and the answer, so it bounds the time from
 * both sides, and several bound it closer. Like `DatedMessages` it tells the true time at the moment 0 of the stopwatch.
 */
export class AnswerDates {
  private before: Span | null = null
  private common: Span | null = null
  private beganMs = Number.NEGATIVE_INFINITY
  private last: AnswerDate | null = null

  saw(date: AnswerDate): void {
    this.last = date
    const { dateMs, askedAtMs, answeredAtMs } = date
    const told = { from: dateMs - answeredAtMs, to: dateMs + SECOND_MS + LATE_MAX_MS - askedAtMs }
    if (answeredAtMs - this.beganMs >= WINDOW_MS) {
      this.before = this.common
      this.common = told
      this.beganMs = answeredAtMs
      return
    }
    const common = this.common === null ? told : commonSpan(this.common, told)
    // That server's clock was set, or another one answers: what it said before does not count.
    this.common = common ?? told
  }

  /** Where the true time at the moment 0 lies; null when nothing was heard lately. */
  start(elapsedMs: number): Span | null {
    const { common, before, last } = this
    if (common === null || last === null || elapsedMs - last.answeredAtMs > FORGOTTEN_AFTER_MS) return null
    return (before === null ? null : commonSpan(before, common)) ?? common
  }
}
