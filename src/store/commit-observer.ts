/** Hears of commits. An engine calls it once for each, so it must be quick, and must not throw. */
export interface CommitObserver {
  /** Milliseconds on a clock that does not jump. */
  now(): number
  /** A commit is durable: how many units of work it carried, and the time from its begin until it was on disk. */
  committed(units: number, durationMs: number): void
  /** A commit was refused, by the disk for instance, and its units with it. */
  failed(units: number): void
}
