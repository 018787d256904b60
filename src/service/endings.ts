interface Ending {
  readonly part: string
  readonly end: () => void | Promise<void>
}

/**
 * What ends the parts that have been started, in the order of their start. Ending goes the other way, from the outside
 * in: what has been accepted still finds everything that it needs.
 */
export class Endings {
  private readonly endings: Ending[] = []
  private current: string | null = null

  /** `part` names it for the operator. */
  add(part: string, end: () => void | Promise<void>): void {
    this.endings.push({ part, end })
  }

  /** The part that is being ended; null before and after. */
  get underWay(): string | null {
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
