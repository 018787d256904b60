/**
 * A bounded number of places that several flows share. A flow is admitted while it has fewer places than are free (dynamic
 * thresholds; Choudhury and Hahne, 1998), so one flow takes at most half of them, two a third each, and a new flow still
 * finds room.
 */
export class SharedPlaces {
  private readonly takenBy = new Map<string, number>()
  private count = 0

  constructor(private readonly max: number) {}

  /** Places that are taken. */
  get taken(): number {
    return this.count
  }

  get isFull(): boolean {
    return this.count >= this.max
  }

  admits(flow: string): boolean {
    return (this.takenBy.get(flow) ?? 0) < this.max - this.count
  }

  /** How many more places the flow may take one after the other, when nobody else takes or frees any. */
  roomFor(flow: string): number {
    // Each place that it takes is one more of its own, and one fewer that is free.
    return Math.max(0, Math.ceil((this.max - this.count - (this.takenBy.get(flow) ?? 0)) / 2))
  }

  /** False when the flow is not admitted. */
  take(flow: string): boolean {
    if (!this.admits(flow)) return false
    this.occupy(flow)
    return true
  }

  /** Takes a place although the flow may not be admitted, for what has begun and cannot wait. */
  occupy(flow: string): void {
    this.takenBy.set(flow, (this.takenBy.get(flow) ?? 0) + 1)
    this.count += 1
  }

  /** Gives one place of a flow back. */
  free(flow: string): void {
    const left = (this.takenBy.get(flow) ?? 0) - 1
    if (left < 0) throw new Error('a place was given back that was not taken')
    if (left === 0) this.takenBy.delete(flow)
    else this.takenBy.set(flow, left)
    this.count -= 1
  }
}
