interface Ending {
  readonly part: string
  readonly end: () => void | Promise<void>
}

/**
 * What ends the parts that have been started, in the order of their start. Ending goes the other way, from the outside
 * in: what has been accepted still finds everything that it needs.
 */
export class Shutdown {
  private readonly shutdown: Ending[] = []
  private current: string | null = null

  /** `part` names it for the operator. */
  add(part: string, end: () => void | Promise<void>): void {
    this.shutdown.push({ part, end })
  }

  /** The part that is being ended; null before and after. */
  get underWay(): string | null {
    return this.current
  }

  async endAll(): Promise<void> {
    for (let next = this.shutdown.pop(); next !== undefined; next = this.shutdown.pop()) {
      this.current = next.part
      await next.end()
    }
    this.current = null
  }
}
