/** Which keys have a table of multiples. Keys go by their name (`publicKeyName`). */

/** Keys without a table that are counted; when there are more, all counts are halved early. */
const COUNTED_MAX = 4096
/** All counts are halved after this many signatures for each table, so that they tell who signs often now. */
const WINDOW = 64
/** A key takes over a table when it has signed twice as often as its holder, and this much more. */
const LEAD = 32
/**
 * Tables change hands at most once in so many signatures. Making one costs what 14 signatures cost without tables, so this
 * bounds the loss to some 2 %, whatever the keys do.
 */
const SIGNATURES_BETWEEN_TAKEOVERS = 640

interface Counted {
  /** Valid signatures, halved with every window. */
  count: number
  table: number | undefined
}

/** A fixed number of tables for the keys that sign most often. */
export class FrequentKeys {
  private readonly keys = new Map<string, Counted>()
  /** By the number of their table. */
  private readonly holders: Counted[] = []
  /** No holder has a lower count. */
  private leastCount = 0
  /** Signatures until all counts are halved. */
  private windowLeft: number
  /** Signatures until a table may change hands again. */
  private untilTakeover = 0

  /** While one of the `limit` tables is free, a key gets it with so many valid signatures. */
  constructor(
    private readonly limit: number,
    private readonly signaturesForFree: number,
  ) {
    this.windowLeft = WINDOW * limit
  }

  /** The table of a key, or undefined. */
  find(name: string): number | undefined {
    return this.keys.get(name)?.table
  }

  /** Counts a valid signature. Returns the number of the table to be made for this key now, or undefined. */
  signed(name: string): number | undefined {
    this.untilTakeover -= 1
    this.windowLeft -= 1
    if (this.windowLeft <= 0) this.halve()
    const key = this.keys.get(name) ?? this.enter(name)
    key.count += 1
    if (key.table !== undefined) return undefined
    const isFree = this.holders.length < this.limit
    key.table = isFree ? this.freeTableFor(key) : this.tableTakenBy(key)
    if (key.table !== undefined) this.holders[key.table] = key
    return key.table
  }

  private enter(name: string): Counted {
    while (this.keys.size - this.holders.length >= COUNTED_MAX) this.halve()
    const key: Counted = { count: 0, table: undefined }
    this.keys.set(name, key)
    return key
  }

  private freeTableFor({ count }: Counted): number | undefined {
    return count < this.signaturesForFree ? undefined : this.holders.length
  }

  /** The table of the holder that signs least, when this key signs so much more. */
  private tableTakenBy({ count }: Counted): number | undefined {
    if (this.untilTakeover > 0 || count < 2 * this.leastCount + LEAD) return undefined
    const least = this.holders.reduce((a, b) => (b.count < a.count ? b : a))
    this.leastCount = least.count
    if (count < 2 * least.count + LEAD) return undefined
    const { table } = least
    least.table = undefined
    this.untilTakeover = SIGNATURES_BETWEEN_TAKEOVERS
    return table
  }

  private halve(): void {
    this.windowLeft = WINDOW * this.limit
    this.leastCount >>= 1
    for (const [name, key] of this.keys) {
      key.count >>= 1
      if (key.count === 0 && key.table === undefined) this.keys.delete(name)
    }
  }
}
