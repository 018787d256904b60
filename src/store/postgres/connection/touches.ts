/** When a unit of work has changed something last, counted in its changes. */
export class Touches {
  private now = 0
  private readonly last = new Map<string, number>()

  /** The present moment: what is changed later is changed since. */
  get moment(): number {
    return this.now
  }

  touch(names: readonly string[]): void {
    this.now += 1
    for (const name of names) this.last.set(name, this.now)
  }

  /** Whether something has not been changed since a moment. */
  isAsAt(moment: number, name: string): boolean {
    return (this.last.get(name) ?? 0) <= moment
  }
}
