/**
 * Keeps what was asked for of late, up to a weight in all. It has two generations: when the young one weighs half of the
 * limit it becomes the old one, whose members die with the next unless they are asked for before.
 */
export class RecentCache<V> {
  private young = new Map<string, V>()
  private old = new Map<string, V>()
  private youngWeight = 0

  constructor(
    private readonly weightLimit: number,
    private readonly weightOf: (value: V) => number,
  ) {}

  get(name: string): V | undefined {
    const value = this.young.get(name)
    if (value !== undefined) return value
    const aged = this.old.get(name)
    if (aged !== undefined) this.set(name, aged)
    return aged
  }

  /** `name` must not be there. */
  set(name: string, value: V): void {
    const weight = this.weightOf(value)
    if (this.youngWeight + weight > this.weightLimit / 2) {
      this.old = this.young
      this.young = new Map()
      this.youngWeight = 0
    }
    this.young.set(name, value)
    this.youngWeight += weight
  }

  drop(name: string): void {
    const value = this.young.get(name)
    if (value !== undefined) this.youngWeight -= this.weightOf(value)
    this.young.delete(name)
    this.old.delete(name)
  }
}
