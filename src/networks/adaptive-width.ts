/** Successes in a row after which a width that was once refused grows again. */
const PATIENCE = 8
/** Then it grows by this part of itself. */
const GROWTH_PART = 8

/**
 * How much to request at once. It doubles with every success until a request was too large; from then on every refusal
 * halves it, and it grows slowly, because nodes do not announce their limits. Nodes also fail now and then whatever the
 * width: a refusal after many successes does not count, unless the next one comes soon.
 */
export class AdaptiveWidth {
  private width: number
  private successes = 0
  private successesSinceRefusal = 0
  private isSearching = true

  constructor(
    start: number,
    private readonly max: number,
  ) {
    this.width = Math.min(start, max)
  }

  get value(): number {
    return this.width
  }

  /** `mayGrow`: false where a larger request would be refused for another reason. */
  succeeded(mayGrow = true): void {
    this.successesSinceRefusal += 1
    if (!mayGrow) return
    this.successes += 1
    if (!this.isSearching && this.successes < PATIENCE) return
    this.successes = 0
    const growth = this.isSearching ? this.width : Math.ceil(this.width / GROWTH_PART)
    this.width = Math.min(this.max, this.width + growth)
  }

  /** A request of this width was refused. Returns whether it was taken to be too large. */
  refused(width: number): boolean {
    const isIsolated = this.successesSinceRefusal >= PATIENCE
    this.successesSinceRefusal = 0
    this.successes = 0
    if (isIsolated) return false
    this.isSearching = false
    this.width = Math.max(1, Math.min(this.width, Math.floor(width / 2)))
    return true
  }
}
