/** Where time comes from. Everything that needs the time is given a clock, so that a test can own it. */
export interface Clock {
  /** Unix milliseconds, an integer. May step back when the machine's clock is set. */
  now(): number
}

/** The machine's clock: the only place of the service that reads it. */
export const systemClock: Clock = { now: () => Date.now() }
