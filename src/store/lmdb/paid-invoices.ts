import type { Currency } from '../../domain/currency.js'
import { bigintFromBytes, bigintToBytes, under } from './bytes.js'
import {
  behind,
  CALLBACK,
  type IndexedInvoice,
  idAt,
  idOfKey,
  PLACE_BYTES,
  type Place,
  paidKey,
  paidPrefix,
  placeOf,
  unmatchedKey,
  unmatchedPrefix,
  walletNoOf,
} from './invoice-places.js'
import { currencyByte } from './running-totals.js'
import { firstKey, lastKey, NOTHING, type Tables } from './tables.js'

/**
 * The invoices on each wallet that were found paid: those that a deposit may still notify, and those that a
 * reorganisation may make unpaid again.
 *
 *     paid-invoices        by class and age
 *     paid-amounts         the greatest amount that was ever paid on a wallet in a currency
 *     unmatched-invoices   those with a reference that no deposit has matched, by class, amount and age
 */
export class PaidInvoices {
  constructor(private readonly tables: Tables) {}

  enter(invoice: IndexedInvoice): void {
    for (const place of invoice.places) {
      this.tables.paidInvoices.putSync(paidKey(place, invoice), NOTHING)
      this.raiseGreatest(walletNoOf(place), invoice.currency, invoice.amount)
    }
  }

  leave(invoice: IndexedInvoice): void {
    for (const place of invoice.places) this.tables.paidInvoices.removeSync(paidKey(place, invoice))
  }

  has(invoice: IndexedInvoice): boolean {
    const [place] = invoice.places
    return place !== undefined && this.tables.paidInvoices.doesExist(paidKey(place, invoice))
  }

  /** Enters an invoice that no deposit has matched. One without a reference never is. */
  enterUnmatched(invoice: IndexedInvoice): void {
    if (invoice.callback === CALLBACK.none) return
    for (const place of invoice.places) this.tables.unmatchedInvoices.putSync(unmatchedKey(place, invoice), NOTHING)
  }

  leaveUnmatched(invoice: IndexedInvoice): void {
    if (invoice.callback === CALLBACK.none) return
    for (const place of invoice.places) this.tables.unmatchedInvoices.removeSync(unmatchedKey(place, invoice))
  }

  /** The newest one of a class that is older than `before`; null when there is none. */
  newest(place: Place, ofClass: number, before: Buffer): Buffer | null {
    return newestUnder(this.tables.paidInvoices, paidPrefix(place, ofClass), before)
  }

  /** The newest unmatched one of a class and amount that is older than `before`; null when there is none. */
  newestUnmatched(place: Place, ofClass: number, amount: bigint, before: Buffer): Buffer | null {
    return newestUnder(this.tables.unmatchedInvoices, unmatchedPrefix(place, ofClass, amount), before)
  }

  /** The greatest amount that was ever paid on the wallet in the currency, atoms. */
  greatest(walletNo: number, currency: Currency): bigint {
    const bytes = this.tables.paidAmounts.get(greatestKey(walletNo, currency))
    return bytes === undefined ? 0n : bigintFromBytes(bytes)
  }

  /** The ids of the paid invoices on a wallet, of all owners, in the currency and created from `fromMs` on and before `beforeMs`. */
  *between(walletNo: number, currency: Currency, fromMs: number, beforeMs: number): Generator<Buffer> {
    const { paidInvoices } = this.tables
    const end = behind(placeOf(walletNo, 0xffff_ffff))
    let key = firstKey(paidInvoices, placeOf(walletNo, 0), end)
    while (key !== undefined) {
      const prefix = Buffer.from(key.subarray(0, PLACE_BYTES + 1))
      if ((prefix[PLACE_BYTES] ?? 0) >> 2 === currencyByte(currency)) {
        const range = { start: Buffer.concat([prefix, idAt(fromMs)]), end: Buffer.concat([prefix, idAt(beforeMs)]) }
        // Read before the caller changes the table.
        yield* [...paidInvoices.getKeys(range)].map(idOfKey)
      }
      key = firstKey(paidInvoices, behind(prefix), end)
    }
  }

  private raiseGreatest(walletNo: number, currency: Currency, amount: bigint): void {
    if (amount <= this.greatest(walletNo, currency)) return
    this.tables.paidAmounts.putSync(greatestKey(walletNo, currency), bigintToBytes(amount))
  }
}

function greatestKey(walletNo: number, currency: Currency): Buffer {
  return under(walletNo, Buffer.of(currencyByte(currency)))
}

function newestUnder(table: Tables['paidInvoices'], prefix: Buffer, before: Buffer): Buffer | null {
  // `before` is the first id of its millisecond, which no invoice has.
  const key = lastKey(table, Buffer.concat([prefix, before]), prefix)
  return key === undefined ? null : idOfKey(key)
}
