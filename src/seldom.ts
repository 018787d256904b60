/** Lets one of many equal things through in each interval, such as log lines about a trouble that lasts. */
export class Seldom {
  private lastAt = Number.NEGATIVE_INFINITY
  private withheld = 0

  constructor(private readonly intervalMs: number) {}

  /** How many were withheld since the last that went through, or null if this one is to be withheld too. */
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
