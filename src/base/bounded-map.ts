/**
 * A map that keeps the most recently used entries, up to a bound on their number, or on their total weight with `weigh`.
 * It has two generations, so an operation costs about as much as one on a `Map`. When the recent generation is full, it
 * becomes the earlier one, and the entries of the former earlier one are dropped. An earlier entry that is used moves to
 * the recent generation. Values are never undefined.
 */
export class BoundedMap<K, V> {
  private recent = new Map<K, V>()
  /** May also hold outdated values of recent entries. */
  private earlier = new Map<K, V>()
  private recentWeight = 0
  private readonly generationMax: number

  /** `max` is at least 2. A single entry that weighs more than half of it is kept until the next one is set. */
  constructor(
    max: number,
    private readonly weigh: (value: V) => number = () => 1,
  ) {
    this.generationMax = max / 2
  }

  get isEmpty(): boolean {
    return this.recent.size === 0 && this.earlier.size === 0
  }

  get(key: K): V | undefined {
    const value = this.recent.get(key)
    if (value !== undefined) return value
    const earlier = this.earlier.get(key)
    if (earlier !== undefined) this.set(key, earlier)
    return earlier
  }

  set(key: K, value: V): void {
    const before = this.recent.get(key)
    if (before !== undefined) this.recentWeight -= this.weigh(before)
    const weight = this.weigh(value)
    if (this.recentWeight + weight > this.generationMax) {
      this.recent.delete(key)
      this.earlier = this.recent
      this.recent = new Map()
      this.recentWeight = 0
    }
    this.recent.set(key, value)
    this.recentWeight += weight
  }

  delete(key: K): void {
    const value = this.recent.get(key)
    if (value !== undefined) this.recentWeight -= this.weigh(value)
    this.recent.delete(key)
    this.earlier.delete(key)
  }

  clear(): void {
    this.recent.clear()
    this.earlier.clear()
    this.recentWeight = 0
  }
}
