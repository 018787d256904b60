/** Successes in a row after which a width that was once too much grows again. */
const PATIENCE = 8
/** The part of a width by which it grows then. */
const GROWTH_PART = 8

/**
 * How much is asked for at once. It doubles with every success until something was too much; from then on it is halved by
 * every refusal, and grows slowly, because nodes do not tell their limits.
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

  /** So much was too much. */
  refused(width: number): void {
    this.isSearching = false
    this.successes = 0
    this.width = Math.max(1, Math.min(this.width, Math.floor(width / 2)))
  }
}
