/** Which keys have a table of multiples. */

/** Keys that are counted; beyond, all counts begin anew. */
const COUNTED_MAX = 4096
/** A table is given to another key after so many signatures of others, for each table there is. */
const PATIENCE = 8

/** A fixed number of tables for the keys that sign most often. */
export class FrequentKeys {
  /** Tables there may be. */
  readonly limit: number
  readonly #signatures: number
  readonly #tableOf = new Map<string, number>()
  readonly #keys: string[] = []
  /** For each table the time of its last use, in signatures. */
  readonly #usedAt: number[] = []
  readonly #counts = new Map<string, number>()
  #now = 0

  /** A key gets a table with so many valid signatures. */
  constructor(limit: number, signatures: number) {
    this.limit = limit
    this.#signatures = signatures
  }

  /** The table of a key that a signature claims, or undefined. */
  find(key: Uint8Array): number | undefined {
    this.#now++
    const table = this.#tableOf.get(nameOf(key))
    if (table !== undefined) this.#usedAt[table] = this.#now
    return table
  }

  /** A valid signature of a key without a table: the number of the table to be made for it now, or undefined. */
  signed(key: Uint8Array): number | undefined {
    const name = nameOf(key)
    if (this.limit === 0 || this.#tableOf.has(name)) return undefined
    const count = (this.#counts.get(name) ?? 0) + 1
    if (count < this.#signatures) {
      if (this.#counts.size >= COUNTED_MAX) this.#counts.clear()
      this.#counts.set(name, count)
      return undefined
    }
    this.#counts.delete(name)
    const table = this.#freeTable()
    if (table === undefined) return undefined
    this.#keys[table] = name
    this.#usedAt[table] = this.#now
    this.#tableOf.set(name, table)
    return table
  }

  /** One that has never been used, or else the one that was not used for longest, if that is long. */
  #freeTable(): number | undefined {
    if (this.#keys.length < this.limit) return this.#keys.length
    const oldest = Math.min(...this.#usedAt)
    if (this.#now - oldest < PATIENCE * this.limit) return undefined
    const table = this.#usedAt.indexOf(oldest)
    this.#tableOf.delete(this.#keys[table] ?? '')
    return table
  }
}

function nameOf(key: Uint8Array): string {
  return Buffer.from(key.buffer, key.byteOffset, key.byteLength).toString('latin1')
}
