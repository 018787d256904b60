import type { Currency } from '../../../domain/amount.js'
import type { Commit } from '../commit/commit-loop.js'
import { currencyByte } from '../payments/running-totals.js'
import { bigintFromBytes, bigintToBytes, idAt, under } from '../tables/bytes.js'
import { type InvoiceId, idOfKey, type OwnerNo, type WalletNo } from '../tables/names.js'
import { firstKey, lastKey, NOTHING, type Table } from '../tables/tables.js'
import {
  behind,
  CALLBACK,
  type IndexedInvoice,
  PLACE_BYTES,
  type Place,
  paidKey,
  paidPrefix,
  placeOf,
  unmatchedKey,
  unmatchedPrefix,
  walletNoOf,
} from './invoice-places.js'

/*
 * The invoices on each wallet that were found paid: those that a deposit may still notify, and those that a
 * reorganisation may make unpaid again.
 *
 *     paid-invoices        by class and age
 *     paid-amounts         the greatest amount that was ever paid on a wallet in a currency
 *     unmatched-invoices   those with a reference that no deposit has matched, by class, amount and age
 */

const FIRST_OWNER = 0 as OwnerNo
const LAST_OWNER = 0xffff_ffff as OwnerNo

export function enterPaid(commit: Commit, invoice: IndexedInvoice): void {
  for (const place of invoice.places) {
    commit.tables.paidInvoices.putSync(paidKey(place, invoice), NOTHING)
    raiseGreatest(commit, walletNoOf(place), invoice.currency, invoice.amount)
  }
}

export function leavePaid({ tables }: Commit, invoice: IndexedInvoice): void {
  for (const place of invoice.places) tables.paidInvoices.removeSync(paidKey(place, invoice))
}

export function isAmongPaid({ tables }: Commit, invoice: IndexedInvoice): boolean {
  const [place] = invoice.places
  return place !== undefined && tables.paidInvoices.doesExist(paidKey(place, invoice))
}

/** Enters an invoice that no deposit has matched. One without a reference never is matched. */
export function enterUnmatched({ tables }: Commit, invoice: IndexedInvoice): void {
  if (invoice.callback === CALLBACK.none) return
  for (const place of invoice.places) tables.unmatchedInvoices.putSync(unmatchedKey(place, invoice), NOTHING)
}

export function leaveUnmatched({ tables }: Commit, invoice: IndexedInvoice): void {
  if (invoice.callback === CALLBACK.none) return
  for (const place of invoice.places) tables.unmatchedInvoices.removeSync(unmatchedKey(place, invoice))
}

/** The newest one of a class that is older than `before`; null when there is none. */
export function newestPaid({ tables }: Commit, place: Place, ofClass: number, before: Buffer): InvoiceId | null {
  return newestUnder(tables.paidInvoices, paidPrefix(place, ofClass), before)
}

/** The newest unmatched one of a class and amount that is older than `before`; null when there is none. */
export function newestUnmatched(
  { tables }: Commit,
  place: Place,
  ofClass: number,
  amount: bigint,
  before: Buffer,
): InvoiceId | null {
  return newestUnder(tables.unmatchedInvoices, unmatchedPrefix(place, ofClass, amount), before)
}

/** The greatest amount that was ever paid on the wallet in the currency, atoms. */
export function greatestPaid({ tables }: Commit, walletNo: WalletNo, currency: Currency): bigint {
  const bytes = tables.paidAmounts.get(greatestKey(walletNo, currency))
  return bytes === undefined ? 0n : bigintFromBytes(bytes)
}

/** The paid invoices on a wallet, of all owners, in the currency, created from `fromMs` on and before `beforeMs`. */
export function* paidBetween(
  { tables }: Commit,
  walletNo: WalletNo,
  currency: Currency,
  fromMs: number,
  beforeMs: number,
): Generator<InvoiceId> {
  const { paidInvoices } = tables
  const end = behind(placeOf(walletNo, LAST_OWNER))
  let key = firstKey(paidInvoices, placeOf(walletNo, FIRST_OWNER), end)
  while (key !== undefined) {
    const prefix = Buffer.from(key.subarray(0, PLACE_BYTES + 1))
    if ((prefix[PLACE_BYTES] ?? 0) >> 2 === currencyByte(currency)) {
      const range = { start: Buffer.concat([prefix, idAt(fromMs)]), end: Buffer.concat([prefix, idAt(beforeMs)]) }
      // Read before the caller changes the table.
      yield* [...paidInvoices.getKeys(range)].map((one) => idOfKey<InvoiceId>(one))
    }
    key = firstKey(paidInvoices, behind(prefix), end)
  }
}

function raiseGreatest(commit: Commit, walletNo: WalletNo, currency: Currency, amount: bigint): void {
  if (amount <= greatestPaid(commit, walletNo, currency)) return
  commit.tables.paidAmounts.putSync(greatestKey(walletNo, currency), bigintToBytes(amount))
}

function greatestKey(walletNo: WalletNo, currency: Currency): Buffer {
  return under(walletNo, Buffer.of(currencyByte(currency)))
}

function newestUnder(table: Table, prefix: Buffer, before: Buffer): InvoiceId | null {
  // `before` is the first id of its millisecond, which no invoice has.
  const key = lastKey(table, Buffer.concat([prefix, before]), prefix)
  return key === undefined ? null : idOfKey<InvoiceId>(key)
}
