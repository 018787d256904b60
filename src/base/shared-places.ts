/**
 * A bounded number of places that several flows share. A flow is admitted while it has fewer places than are free (dynamic
 * thresholds; Choudhury and Hahne, 1998), so one flow takes at most half of them, two a third each, and a new flow still
 * finds room.
 */
export class SharedPlaces {
  private readonly taken = new Map<string, number>()
  private count = 0

  constructor(private readonly max: number) {}

  admits(flow: string): boolean {
    return (this.taken.get(flow) ?? 0) < this.max - this.count
  }

  /** False when the flow is not admitted. */
  take(flow: string): boolean {
    if (!this.admits(flow)) return false
    this.taken.set(flow, (this.taken.get(flow) ?? 0) + 1)
    this.count += 1
    return true
  }

  /** Gives one place of a flow back. */
  free(flow: string): void {
    const left = (this.taken.get(flow) ?? 0) - 1
    if (left < 0) throw new Error('a place was given back that was not taken')
    if (left === 0) this.taken.delete(flow)
    else this.taken.set(flow, left)
    this.count -= 1
  }
}
