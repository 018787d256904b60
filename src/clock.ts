/** A source of time, passed in so that a test can control it. */
export interface Clock {
  /** Unix milliseconds, an integer. May step back when the machine's clock is set. */
  now(): number
}

/** The machine's clock. All decisions of the service take their time from it. */
export const systemClock: Clock = { now: Date.now }
