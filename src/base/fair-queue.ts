/** What waits, by owner. Owners have their turns one after the other, so nobody waits longer because another one has much. */
export class FairQueue<T> {
  /** The owner whose turn is next comes first. */
  private readonly byOwner = new Map<string, T[]>()

  get isEmpty(): boolean {
    return this.byOwner.size === 0
  }

  /** Whether anything of this owner waits. */
  has(owner: string): boolean {
    return this.byOwner.has(owner)
  }

  add(owner: string, item: T): void {
    const ofOwner = this.byOwner.get(owner)
    if (ofOwner === undefined) this.byOwner.set(owner, [item])
    else ofOwner.push(item)
  }

  /** The oldest of the first owner in turn who may go; undefined when nothing of such an owner waits. */
  take(mayGo: (owner: string) => boolean = anyone): T | undefined {
    for (const [owner, items] of this.byOwner) {
      if (!mayGo(owner)) continue
      const item = items.shift()
      // Behind the others, with what is left.
      this.byOwner.delete(owner)
      if (items.length > 0) this.byOwner.set(owner, items)
      return item
    }
    return undefined
  }

  /** Takes an item out of turn; one that does not wait is ignored. */
  remove(owner: string, item: T): void {
    const left = this.byOwner.get(owner)?.filter((other) => other !== item)
    if (left === undefined) return
    if (left.length > 0) this.byOwner.set(owner, left)
    else this.byOwner.delete(owner)
  }
}

function anyone(): boolean {
  return true
}
