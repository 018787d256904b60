/** A first-in, first-out queue with a bound. Its user refuses what does not fit. Every operation takes constant time. */
export class BoundedQueue<T extends NonNullable<unknown>> {
  private items: (T | undefined)[] = []
  /** Index of the oldest item; the slots before it are spent. */
  private head = 0

  constructor(private readonly max: number) {}

  get size(): number {
    return this.items.length - this.head
  }

  get isFull(): boolean {
    return this.size >= this.max
  }

  /** Throws when the queue is full. */
  push(item: T): void {
    if (this.isFull) throw new Error('a full queue was pushed to')
    this.items.push(item)
  }

  /** The oldest item. */
  peek(): T | undefined {
    return this.items[this.head]
  }

  /** Takes the oldest item. */
  shift(): T | undefined {
    const item = this.items[this.head]
    if (item === undefined) return undefined
    this.items[this.head] = undefined
    this.head += 1
    // Spent slots are dropped once they are the majority, so a shift takes constant time on average.
    if (this.head * 2 > this.items.length) {
      this.items = this.items.slice(this.head)
      this.head = 0
    }
    return item
  }
}
