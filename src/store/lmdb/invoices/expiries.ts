import type { Commit } from '../commit/commit-loop.js'
import { timeKey, WIDE_BYTES } from '../tables/bytes.js'
import { type InvoiceId, idOfKey } from '../tables/names.js'
import { firstKey, NOTHING } from '../tables/tables.js'

/*
 * When invoices expire whose expiry has not been decided, soonest first.
 */

/** Behind every key. */
const END = Buffer.alloc(WIDE_BYTES + 1, 0xff)

export function addExpiry({ tables, caches }: Commit, expiresAt: number, id: InvoiceId): void {
  tables.expiries.putSync(Buffer.concat([timeKey(expiresAt), id]), NOTHING)
  if (caches.firstExpiryAt !== null) caches.firstExpiryAt = Math.min(caches.firstExpiryAt, expiresAt)
}

/** Takes out the first invoice that is due to expire; null when none is. */
export function takeExpired({ tables, caches, nowMs }: Commit): InvoiceId | null {
  if (caches.firstExpiryAt !== null && caches.firstExpiryAt > nowMs) return null
  const key = firstKey(tables.expiries, NOTHING, END)
  const dueAt = key?.readUIntBE(0, WIDE_BYTES) ?? Number.POSITIVE_INFINITY
  caches.firstExpiryAt = dueAt
  if (key === undefined || dueAt > nowMs) return null
  tables.expiries.removeSync(key)
  return idOfKey<InvoiceId>(key)
}
