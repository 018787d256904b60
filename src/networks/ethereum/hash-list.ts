const HASH_BYTES = 32
const HASH_DIGITS = 2 * HASH_BYTES
const PREFIX = '0x'
const CAPACITY_START = 16
/** What stands where a hash is not known. */
const UNKNOWN = Buffer.alloc(HASH_BYTES)
const EMPTY = -1

/**
 * Hashes by place, 32 bytes each: a block can have hundreds of thousands. A place may have none, where a node left it out or
 * wrote something else.
 */
export class HashList {
  private bytes = Buffer.alloc(CAPACITY_START * HASH_BYTES)
  private count = 0

  /** One more than the last place that was set. */
  get length(): number {
    return this.count
  }

  /** Sets the hash of a place; anything but a hash leaves it unknown. */
  set(place: number, hash: unknown): void {
    this.reserve(place + 1)
    this.count = Math.max(this.count, place + 1)
    const at = place * HASH_BYTES
    const isLong = typeof hash === 'string' && hash.length === PREFIX.length + HASH_DIGITS && hash.startsWith(PREFIX)
    const written = isLong ? this.bytes.write(hash.slice(PREFIX.length), at, HASH_BYTES, 'hex') : 0
    if (written < HASH_BYTES) this.bytes.fill(0, at, at + HASH_BYTES)
  }

  /** The hash of a place in lower case; null when it is not known. */
  at(place: number): string | null {
    return this.isKnown(place) ? `${PREFIX}${this.slice(place).toString('hex')}` : null
  }

  isKnown(place: number): boolean {
    return place < this.count && !this.slice(place).equals(UNKNOWN)
  }

  /** Whether both lists have the same hashes at all places below a number, as far as they know them. */
  agreesWith(other: HashList, count: number): boolean {
    const end = count * HASH_BYTES
    if (this.count < count || other.count < count) return false
    if (this.bytes.compare(other.bytes, 0, end, 0, end) === 0) return true
    for (let place = 0; place < count; place += 1) {
      const isSame = this.slice(place).equals(other.slice(place))
      if (!isSame && this.isKnown(place) && other.isKnown(place)) return false
    }
    return true
  }

  /** Finds the first place of a hash, by an index that is made once. */
  finder(): (hash: string | null) => number | null {
    const slots = new Int32Array(2 ** Math.ceil(Math.log2(2 * this.count + 1))).fill(EMPTY)
    const slotOf = (hash: Buffer): number => {
      let slot = hash.readUInt32LE(0) % slots.length
      for (let held = slots[slot] ?? EMPTY; held !== EMPTY; held = slots[slot] ?? EMPTY) {
        if (this.slice(held).equals(hash)) break
        slot = (slot + 1) % slots.length
      }
      return slot
    }
    for (let place = 0; place < this.count; place += 1) {
      const slot = slotOf(this.slice(place))
      if (slots[slot] === EMPTY) slots[slot] = place
    }
    return (hash) => {
      const place = hash === null ? EMPTY : (slots[slotOf(Buffer.from(hash.slice(PREFIX.length), 'hex'))] ?? EMPTY)
      return place === EMPTY ? null : place
    }
  }

  private slice(place: number): Buffer {
    return this.bytes.subarray(place * HASH_BYTES, (place + 1) * HASH_BYTES)
  }

  private reserve(count: number): void {
    if (count * HASH_BYTES <= this.bytes.length) return
    const larger = Buffer.alloc(Math.max(2 * this.bytes.length, count * HASH_BYTES))
    this.bytes.copy(larger)
    this.bytes = larger
  }
}
