import type { PaidAmount } from '../../moving/records.js'
import { SIMILAR_EXAMINED_MAX } from '../../rules/match-deposit.js'
import type { Commit, Reader } from '../commit/commit.js'
import type { CurrencyNo } from '../tables/currencies.js'
import {
  bigintFromBytes,
  bigintToBytes,
  endOf,
  ID_BYTES,
  type InvoiceId,
  idAt,
  idOfKey,
  NUMBER_BYTES,
  numberKey,
  type OwnerNo,
  sortableAmount,
  under,
  type WalletNo,
} from '../tables/keys.js'
import { firstKey, lastKey, NOTHING, type Table } from '../tables/tables.js'
import {
  behind,
  classByte,
  currencyOfClass,
  type IndexedInvoice,
  PLACE_BYTES,
  type Place,
  placeOf,
} from './invoice-places.js'
import { type InvoiceRow, invoiceRow } from './invoice-rows.js'
import { countMatches } from './matches.js'
import type { Amounts } from './open-amounts.js'

/*
 * The invoices on each wallet that were found paid: those that a deposit may still notify, and those that a
 * reorganisation may make unpaid again.
 *
 *     paid-invoices        by class and age
 *     paid-amounts         the greatest amount that was ever paid on a wallet in a currency
 *     unmatched-invoices   those that no deposit has matched, by class, amount and age
 */

/** wallet no │ currency (1). */
const GREATEST_KEY_BYTES = NUMBER_BYTES + 1

const FIRST_OWNER = 0 as OwnerNo
const LAST_OWNER = 0xffff_ffff as OwnerNo

/** Enters an invoice that is paid. */
export function enterPaid(commit: Commit, invoice: IndexedInvoice): void {
  for (const place of invoice.places) {
    commit.tables.paidInvoices.putSync(paidKey(place, invoice), NOTHING)
    raiseGreatest(commit, place.readUInt32BE(0) as WalletNo, invoice.currencyNo, invoice.amount)
  }
  if (countMatches(commit, invoice.id) === 0) enterUnmatched(commit, invoice)
}

/** Removes an invoice that is no longer paid. */
export function leavePaid(commit: Commit, invoice: IndexedInvoice): void {
  for (const place of invoice.places) commit.tables.paidInvoices.removeSync(paidKey(place, invoice))
  if (countMatches(commit, invoice.id) === 0) leaveUnmatched(commit, invoice)
}

export function isAmongPaid({ tables }: Reader, invoice: IndexedInvoice): boolean {
  const [place] = invoice.places
  return place !== undefined && tables.paidInvoices.doesExist(paidKey(place, invoice))
}

/** Notes whether a deposit has matched an invoice that was found paid. */
export function markMatched(commit: Commit, invoice: IndexedInvoice, isMatched: boolean): void {
  if (isMatched) leaveUnmatched(commit, invoice)
  else enterUnmatched(commit, invoice)
}

export function enterUnmatched({ tables }: Commit, invoice: IndexedInvoice): void {
  for (const place of invoice.places) tables.unmatchedInvoices.putSync(unmatchedKey(place, invoice), NOTHING)
}

function leaveUnmatched({ tables }: Commit, invoice: IndexedInvoice): void {
  for (const place of invoice.places) tables.unmatchedInvoices.removeSync(unmatchedKey(place, invoice))
}

/** The newest one of a class that is older than `before`; null when there is none. */
export function newestPaid({ tables }: Commit, place: Place, ofClass: number, before: Buffer): InvoiceId | null {
  return newestUnder(tables.paidInvoices, paidPrefix(place, ofClass), before)
}

/** Whether a place has any paid invoice that no deposit has matched. */
export function hasUnmatched({ tables }: Commit, place: Place): boolean {
  return firstKey(tables.unmatchedInvoices, place, behind(place)) !== undefined
}

/** The newest unmatched one of a class and of some amounts that is older than `before`, as far as they are examined; null for none. */
export function newestUnmatched(
  { tables }: Commit,
  place: Place,
  ofClass: number,
  { above, to }: Amounts,
  before: Buffer,
): InvoiceId | null {
  const lowest = unmatchedPrefix(place, ofClass, above)
  const range = {
    start: Buffer.concat([unmatchedPrefix(place, ofClass, to), before]),
    end: endOf(lowest, lowest.length + ID_BYTES),
  }
  const ids: InvoiceId[] = []
  for (const key of tables.unmatchedInvoices.getKeys({ ...range, reverse: true, limit: SIMILAR_EXAMINED_MAX })) {
    const id = idOfKey<InvoiceId>(key)
    if (Buffer.compare(id, before) < 0) ids.push(id)
  }
  return ids.sort(Buffer.compare).at(-1) ?? null
}

/** The greatest amount that was ever paid on the wallet in the currency, atoms; null when none was. */
export function greatestPaid({ tables }: Reader, walletNo: WalletNo, currencyNo: CurrencyNo): bigint | null {
  const bytes = tables.paidAmounts.get(greatestKey(walletNo, currencyNo))
  return bytes === undefined ? null : bigintFromBytes(bytes)
}

/** The paid invoices on a wallet, of all owners, in the currency, created from `fromMs` on and before `beforeMs`. */
export function* paidBetween(
  commit: Commit,
  walletNo: WalletNo,
  currencyNo: CurrencyNo,
  fromMs: number,
  beforeMs: number,
): Generator<InvoiceRow> {
  const { paidInvoices } = commit.tables
  const end = behind(placeOf(walletNo, LAST_OWNER))
  let key = firstKey(paidInvoices, placeOf(walletNo, FIRST_OWNER), end)
  while (key !== undefined) {
    const prefix = Buffer.from(key.subarray(0, PLACE_BYTES + 1))
    if (currencyOfClass(prefix[PLACE_BYTES] ?? 0) === currencyNo) {
      const range = { start: Buffer.concat([prefix, idAt(fromMs)]), end: Buffer.concat([prefix, idAt(beforeMs)]) }
      // Read before the caller changes the table.
      for (const one of [...paidInvoices.getKeys(range)]) yield invoiceRow(commit, idOfKey<InvoiceId>(one))
    }
    key = firstKey(paidInvoices, behind(prefix), end)
  }
}

/** The greatest amounts that were ever paid on the wallet. */
export function paidOn(at: Reader, walletNo: WalletNo): readonly PaidAmount[] {
  const ofWallet = numberKey(walletNo)
  const rows = at.tables.paidAmounts.getRange({ start: ofWallet, end: endOf(ofWallet, GREATEST_KEY_BYTES + 1) })
  return [...rows].map(({ key, value }) => {
    return { currency: at.currencies.nameOf(key.at(-1) ?? 0), atoms: String(bigintFromBytes(value)) }
  })
}

function raiseGreatest(commit: Commit, walletNo: WalletNo, currencyNo: CurrencyNo, amount: bigint): void {
  if (amount > (greatestPaid(commit, walletNo, currencyNo) ?? 0n)) putGreatest(commit, walletNo, currencyNo, amount)
}

export function putGreatest({ tables }: Commit, walletNo: WalletNo, currencyNo: CurrencyNo, amount: bigint): void {
  tables.paidAmounts.putSync(greatestKey(walletNo, currencyNo), bigintToBytes(amount))
}

export function greatestKey(walletNo: WalletNo, currencyNo: CurrencyNo): Buffer {
  return under(walletNo, Buffer.of(currencyNo))
}

function newestUnder(table: Table, prefix: Buffer, before: Buffer): InvoiceId | null {
  // `before` is the first id of its millisecond, which no invoice has.
  const key = lastKey(table, Buffer.concat([prefix, before]), prefix)
  return key === undefined ? null : idOfKey<InvoiceId>(key)
}

/** place │ class (1): paid invoices of a class, by age. */
function paidPrefix(place: Place, ofClass: number): Buffer {
  return Buffer.concat([place, Buffer.of(ofClass)])
}

export function paidKey(place: Place, { currencyNo, callback, id }: IndexedInvoice): Buffer {
  return Buffer.concat([paidPrefix(place, classByte(currencyNo, callback)), id])
}

/** place │ class (1) │ amount: unmatched invoices of an amount, by age. */
function unmatchedPrefix(place: Place, ofClass: number, amount: bigint): Buffer {
  return Buffer.concat([paidPrefix(place, ofClass), sortableAmount(amount)])
}

export function unmatchedKey(place: Place, { currencyNo, callback, amount, id }: IndexedInvoice): Buffer {
  return Buffer.concat([unmatchedPrefix(place, classByte(currencyNo, callback), amount), id])
}
