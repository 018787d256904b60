/** Who listens for what, by name. */
export class Listeners<T> {
  private readonly byName = new Map<string, Set<T>>()

  add(names: Iterable<string>, listener: T): void {
    for (const name of names) {
      const listeners = this.byName.get(name)
      if (listeners === undefined) this.byName.set(name, new Set([listener]))
      else listeners.add(listener)
    }
  }

  remove(names: Iterable<string>, listener: T): void {
    for (const name of names) {
      const listeners = this.byName.get(name)
      listeners?.delete(listener)
      if (listeners?.size === 0) this.byName.delete(name)
    }
  }

  has(name: string): boolean {
    return this.byName.has(name)
  }

  of(name: string): Iterable<T> {
    return this.byName.get(name) ?? []
  }
}
