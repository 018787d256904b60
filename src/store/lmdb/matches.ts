import { numberKey } from './bytes.js'
import type { Tables } from './tables.js'

/** How many deposits have matched an invoice. A dropped deposit gives its match back (decisions 6). */
export class Matches {
  constructor(private readonly tables: Tables) {}

  has(id: Buffer): boolean {
    return this.tables.matches.doesExist(id)
  }

  /** True when it is the invoice's only one. */
  take(id: Buffer): boolean {
    const count = this.count(id) + 1
    this.tables.matches.putSync(id, numberKey(count))
    return count === 1
  }

  /** True when it was the invoice's only one. */
  giveBack(id: Buffer): boolean {
    const count = this.count(id) - 1
    if (count < 0) throw new Error('a match was given back that nobody took')
    if (count === 0) this.tables.matches.removeSync(id)
    else this.tables.matches.putSync(id, numberKey(count))
    return count === 0
  }

  private count(id: Buffer): number {
    return this.tables.matches.get(id)?.readUInt32BE(0) ?? 0
  }
}
