/**
 * Stops the started parts in reverse order, from the outside in, so that accepted work still finds everything that it
 * needs.
 */
export class Shutdown {
  private readonly endings: { part: string; end: () => void | Promise<void> }[] = []
  private current: string | null = null

  /** `part` is its name for the operator. */
  add(part: string, end: () => void | Promise<void>): void {
    this.endings.push({ part, end })
  }

  /** The part that is being stopped; null before and after. */
  get waitsFor(): string | null {
    return this.current
  }

  async endAll(): Promise<void> {
    for (let next = this.endings.pop(); next !== undefined; next = this.endings.pop()) {
      this.current = next.part
      await next.end()
    }
    this.current = null
  }
}
