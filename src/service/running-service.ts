/** A running service. */
export interface Service {
  /** The URL that it listens on. */
  readonly url: string
  /** Lines for the operator, printed before the ready line. */
  readonly banner: readonly string[]
  /** Stops accepting, finishes what was accepted, flushes and closes. */
  stop(): Promise<void>
  /** The part that a stop waits for; null when there is none. */
  waitsFor(): string | null
}
