const HASH_BYTES = 32
const HASH_DIGITS = 2 * HASH_BYTES
const PREFIX = '0x'
const CAPACITY_START = 16
/** Longer lists are kept in pieces of so many hashes, so that none is copied as they grow. */
const PIECE_HASHES = 512
/** What stands where a hash is not known. */
const UNKNOWN = Buffer.alloc(HASH_BYTES)
/** Where the hash is put that is being set. */
const SCRATCH = Buffer.alloc(HASH_BYTES)
const EMPTY = -1

/**
 * Hashes by place, 32 bytes each: a block can have hundreds of thousands. A place may have none, where a node left it out or
 * wrote something else.
 */
export class HashList {
  private readonly pieces: Buffer[] = []
  private count = 0

  /**
   * `followed`: a list that may turn out to be the same, and does not change meanwhile. As long as the same hashes are set, in
   * order from the first one, they are not kept twice.
   */
  constructor(private followed: HashList | null = null) {}

  /** One more than the last place that was set. */
  get length(): number {
    return this.count
  }

  /** Sets the hash of a place; anything but a hash leaves it unknown. */
  set(place: number, hash: unknown): void {
    const isLong = typeof hash === 'string' && hash.length === PREFIX.length + HASH_DIGITS && hash.startsWith(PREFIX)
    const written = isLong ? SCRATCH.write(hash.slice(PREFIX.length), 'hex') : 0
    if (written < HASH_BYTES) SCRATCH.fill(0)
    if (this.followed !== null && !this.isNextOf(this.followed, place)) this.leave(this.followed)
    this.count = Math.max(this.count, place + 1)
    if (this.followed === null) SCRATCH.copy(this.slice(place))
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
    if (this.count < count || other.count < count) return false
    if (this.followed === other || other.followed === this) return true
    for (let from = 0; from < count; from += PIECE_HASHES) {
      const end = Math.min(count, from + PIECE_HASHES)
      if (!this.hasSamePiece(other, from, end) && !this.agreesAt(other, from, end)) return false
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

  /** Whether a list has the hash that is being set at a place, which is the next one. */
  private isNextOf(list: HashList, place: number): boolean {
    return place === this.count && place < list.count && list.slice(place).equals(SCRATCH)
  }

  /** Keeps hashes of its own from now on. */
  private leave(list: HashList): void {
    this.followed = null
    for (let place = 0; place < this.count; place += 1) list.slice(place).copy(this.slice(place))
  }

  private hasSamePiece(other: HashList, from: number, end: number): boolean {
    const [own, others] = [this.pieceFor(from), other.pieceFor(from)]
    const bytes = (end - from) * HASH_BYTES
    return own.compare(others, 0, bytes, 0, bytes) === 0
  }

  private agreesAt(other: HashList, from: number, end: number): boolean {
    for (let place = from; place < end; place += 1) {
      const isSame = this.slice(place).equals(other.slice(place))
      if (!isSame && this.isKnown(place) && other.isKnown(place)) return false
    }
    return true
  }

  private slice(place: number): Buffer {
    const at = (place % PIECE_HASHES) * HASH_BYTES
    return this.pieceFor(place).subarray(at, at + HASH_BYTES)
  }

  /** The piece with room for a place. Most blocks are short, so the first one grows. */
  private pieceFor(place: number): Buffer {
    if (this.followed !== null) return this.followed.pieceFor(place)
    const n = Math.floor(place / PIECE_HASHES)
    for (let made = this.pieces.length; made <= n; made += 1) {
      this.pieces.push(Buffer.alloc((made === 0 ? CAPACITY_START : PIECE_HASHES) * HASH_BYTES))
    }
    const piece = this.pieces[n] as Buffer
    const needed = ((place % PIECE_HASHES) + 1) * HASH_BYTES
    if (needed <= piece.length) return piece
    const larger = Buffer.alloc(Math.min(PIECE_HASHES * HASH_BYTES, Math.max(2 * piece.length, needed)))
    piece.copy(larger)
    this.pieces[n] = larger
    return larger
  }
}
