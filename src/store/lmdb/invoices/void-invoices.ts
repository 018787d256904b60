import { VOID_EXAMINED_MAX } from '../../rules/match-deposit.js'
import type { Commit } from '../commit/commit.js'
import type { CurrencyNo } from '../tables/currencies.js'
import { endOf, ID_BYTES, type InvoiceId, idOfKey, timeKey, timeOfId, WIDE_BYTES } from '../tables/keys.js'
import { NOTHING } from '../tables/tables.js'
import { type IndexedInvoice, PLACE_BYTES, type Place } from './invoice-places.js'

/*
 * The void invoices on each wallet, in the order in which they became void: what comes for nobody else is matched to the last one.
 */

/** place │ currency (1) │ when it became void (6) │ id. */
const VOID_KEY_BYTES = PLACE_BYTES + 1 + WIDE_BYTES + ID_BYTES

export function enterVoid({ tables }: Commit, invoice: IndexedInvoice, voidedAt: number): void {
  for (const place of invoice.places) tables.voidInvoices.putSync(voidKey(place, invoice, voidedAt), NOTHING)
}

/** Takes out an invoice that lives again. */
export function leaveVoid({ tables }: Commit, invoice: IndexedInvoice, voidedAt: number): void {
  for (const place of invoice.places) tables.voidInvoices.removeSync(voidKey(place, invoice, voidedAt))
}

export function voidKey(place: Place, { currencyNo, id }: IndexedInvoice, voidedAt: number): Buffer {
  return Buffer.concat([voidPrefix(place, currencyNo), timeKey(voidedAt), id])
}

/**
 * The invoice at a place that became void last, not before `sinceMs`, of those created before `beforeMs`; null for none. Younger ones
 * became void later than `beforeMs`: where there are many of those, a second seek passes over them.
 */
export function lastVoidOf(
  { tables }: Commit,
  place: Place,
  currencyNo: CurrencyNo,
  beforeMs: number,
  sinceMs: number,
): InvoiceId | null {
  const prefix = voidPrefix(place, currencyNo)
  const middle = Buffer.concat([prefix, timeKey(beforeMs + 1)])
  const ranges = [
    { start: endOf(prefix, VOID_KEY_BYTES), end: middle },
    { start: middle, end: Buffer.concat([prefix, timeKey(sinceMs)]) },
  ]
  for (const range of ranges) {
    for (const key of tables.voidInvoices.getKeys({ ...range, reverse: true, limit: VOID_EXAMINED_MAX })) {
      const id = idOfKey<InvoiceId>(key)
      if (timeOfId(id) < beforeMs) return id
    }
  }
  return null
}

function voidPrefix(place: Place, currencyNo: CurrencyNo): Buffer {
  return Buffer.concat([place, Buffer.of(currencyNo)])
}
