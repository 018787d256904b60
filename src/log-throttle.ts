/** Throttles log lines that a lasting trouble repeats: one goes through in each interval. */
export class LogThrottle {
  private lastAt = Number.NEGATIVE_INFINITY
  private withheld = 0

  constructor(private readonly intervalMs: number) {}

  /** How many lines were withheld since the last one that went through, or null if this one is to be withheld too. */
  next(): number | null {
    const now = performance.now()
    if (now - this.lastAt < this.intervalMs) {
      this.withheld += 1
      return null
    }
    const { withheld } = this
    this.lastAt = now
    this.withheld = 0
    return withheld
  }
}
