/** What was added in a window counts in that one and the next. */
const WINDOW_MS = 60_000

/** The largest value of the last minute or two. While nothing is added it stays. */
export class WindowedMax {
  private before = Number.NEGATIVE_INFINITY
  private current = Number.NEGATIVE_INFINITY
  private beganMs = Number.NEGATIVE_INFINITY

  add(value: number, elapsedMs: number): void {
    if (elapsedMs - this.beganMs >= WINDOW_MS) {
      this.before = this.current
      this.current = Number.NEGATIVE_INFINITY
      this.beganMs = elapsedMs
    }
    this.current = Math.max(this.current, value)
  }

  get max(): number {
    return Math.max(this.before, this.current)
  }
}
