import { WIDE_BYTES } from './bytes.js'
import { firstKey, NOTHING, type Tables } from './tables.js'

/** When invoices expire whose expiry has not been decided, soonest first. */
export class Expiries {
  /** When the first one is due; null while that is not known. */
  private firstDueAt: number | null = null

  constructor(private readonly tables: Tables) {}

  /** After an aborted commit. */
  forget(): void {
    this.firstDueAt = null
  }

  add(expiresAt: number, id: Buffer): void {
    this.tables.expiries.putSync(keyOf(expiresAt, id), NOTHING)
    if (this.firstDueAt !== null) this.firstDueAt = Math.min(this.firstDueAt, expiresAt)
  }

  /** Takes out the first invoice that is due, and answers its id; null when none is. */
  takeDue(nowMs: number): Buffer | null {
    if (this.firstDueAt !== null && this.firstDueAt > nowMs) return null
    const key = firstKey(this.tables.expiries, NOTHING, END)
    const dueAt = key?.readUIntBE(0, WIDE_BYTES) ?? Number.POSITIVE_INFINITY
    this.firstDueAt = dueAt
    if (key === undefined || dueAt > nowMs) return null
    this.tables.expiries.removeSync(key)
    return Buffer.from(key.subarray(WIDE_BYTES))
  }
}

/** Behind every key. */
const END = Buffer.alloc(WIDE_BYTES + 1, 0xff)

function keyOf(expiresAt: number, id: Buffer): Buffer {
  const key = Buffer.allocUnsafe(WIDE_BYTES + id.length)
  key.writeUIntBE(expiresAt, 0, WIDE_BYTES)
  key.set(id, WIDE_BYTES)
  return key
}
