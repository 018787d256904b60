/** What an answer says of the time. */
export interface AnswerDate {
  /** Its `Date` header, Unix milliseconds of a whole second. */
  readonly dateMs: number
  /** What the stopwatch showed before the question was sent, and when the answer had begun to come. */
  readonly askedAtMs: number
  readonly answeredAtMs: number
}

/** Null for an answer without a date, and for one that a cache has kept: that is as old as the cache likes. */
export function answerDate(
  headers: Readonly<Record<string, string | string[] | undefined>>,
  askedAtMs: number,
  answeredAtMs: number,
): AnswerDate | null {
  const { date, age } = headers
  if (typeof date !== 'string' || age !== undefined) return null
  const dateMs = Date.parse(date)
  return Number.isNaN(dateMs) ? null : { dateMs, askedAtMs, answeredAtMs }
}
