/** What waits, by owner. Owners have their turns one after the other, so nobody waits longer because another one has much. */
export class FairQueue<T> {
  /** The owner whose turn is next comes first. */
  private readonly byOwner = new Map<string, T[]>()

  get isEmpty(): boolean {
    return this.byOwner.size === 0
  }

  add(owner: string, item: T): void {
    const ofOwner = this.byOwner.get(owner)
    if (ofOwner === undefined) this.byOwner.set(owner, [item])
    else ofOwner.push(item)
  }

  /** The oldest of the owner whose turn it is; undefined when nothing waits. */
  take(): T | undefined {
    const [next] = this.byOwner
    if (next === undefined) return undefined
    const [owner, items] = next
    const item = items.shift()
    // Behind the others, with what is left.
    this.byOwner.delete(owner)
    if (items.length > 0) this.byOwner.set(owner, items)
    return item
  }
}
