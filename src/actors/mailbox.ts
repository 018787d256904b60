/** Commands that wait for one wallet, in order of arrival. Bounded: what does not fit is the sender's to refuse. */
export class Mailbox<T> {
  private waiting: T[] = []
  /** Index of the oldest; the slots before it are spent. */
  private head = 0

  constructor(private readonly capacity: number) {}

  get size(): number {
    return this.waiting.length - this.head
  }

  get isFull(): boolean {
    return this.size >= this.capacity
  }

  push(item: T): void {
    if (this.isFull) throw new Error('a full mailbox was pushed to')
    this.waiting.push(item)
  }

  peek(): T | undefined {
    return this.waiting[this.head]
  }

  shift(): void {
    this.head += 1
    // Spent slots are dropped when they are the greater part, so that the cost of a shift stays constant.
    if (this.head * 2 > this.waiting.length) {
      this.waiting = this.waiting.slice(this.head)
      this.head = 0
    }
  }
}
