/** A source of time, passed in so that a test can control it. */
export interface Clock {
  /** Unix milliseconds, an integer. May step back when the machine's clock is set. */
  now(): number
  /**
   * Milliseconds since some moment, never less than before, whatever the machine's clock is set to. May stand still while the machine
   * sleeps. The machine's own when absent.
   */
  elapsed?(): number
}

/** The machine's clock. All decisions of the service take their time from it. */
export const systemClock: Clock = { now: Date.now }

/** Milliseconds of a clock that cannot be set. */
export function elapsedOf(clock: Clock): number {
  return clock.elapsed?.() ?? performance.now()
}
