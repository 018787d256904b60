/** Successes in a row after which a width that was once refused grows again. */
const PATIENCE = 8
/** Then it grows by this part of itself. */
const GROWTH_PART = 8

/**
 * How much to request at once. It doubles with every success until a request was too large; from then on every refusal
 * halves it, and it grows slowly, because nodes do not announce their limits.
 */
export class AdaptiveWidth {
  private width: number
  private successes = 0
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

  succeeded(): void {
    this.successes += 1
    if (!this.isSearching && this.successes < PATIENCE) return
    this.successes = 0
    const growth = this.isSearching ? this.width : Math.ceil(this.width / GROWTH_PART)
    this.width = Math.min(this.max, this.width + growth)
  }

  /** A request of this width was too large. */
  refused(width: number): void {
    this.isSearching = false
    this.successes = 0
    this.width = Math.max(1, Math.min(this.width, Math.floor(width / 2)))
  }
}
