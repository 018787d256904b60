/** What a block says of its time, Unix milliseconds: it was made at some moment of this span. */
export interface BlockTime {
  readonly timeMs: number
  /** The last millisecond that its time may mean: 999 later where blocks tell whole seconds, else the same. */
  readonly timeEndMs: number
}

/** The last millisecond of a second, counted from its first. */
const SECOND_END_MS = 999

/** The time of a block that tells the second in which it was made. */
export function wholeSecond(timeMs: number): BlockTime {
  return { timeMs, timeEndMs: timeMs + SECOND_END_MS }
}

/** The time of a block that tells a millisecond. */
export function millisecond(timeMs: number): BlockTime {
  return { timeMs, timeEndMs: timeMs }
}

/** Whether a moment, Unix milliseconds, is one that a block's time may mean. */
export function isWithin({ timeMs, timeEndMs }: BlockTime, momentMs: number): boolean {
  return timeMs <= momentMs && momentMs <= timeEndMs
}

/**
 * When the transfers of a block were received, Unix milliseconds (decisions 5): at its own time, where that is a millisecond. A
 * whole second may have begun before an invoice that the block pays, and a clock that is not the block's may be wrong. So it is
 * the moment of first sight within that second, else the second's end. Null: the block is read again, not seen first.
 */
export function receivedAtOf(time: BlockTime, firstSeenMs: number | null): number {
  return firstSeenMs !== null && isWithin(time, firstSeenMs) ? firstSeenMs : time.timeEndMs
}
