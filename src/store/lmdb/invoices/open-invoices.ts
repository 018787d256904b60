import { CALLBACK } from '../../rules/callbacks.js'
import type { Commit, Reader } from '../commit/commit.js'
import type { CurrencyNo } from '../tables/currencies.js'
import {
  ID_BYTES,
  type InvoiceId,
  idOfKey,
  NUMBER_BYTES,
  numberKey,
  type SetNo,
  type WalletNo,
} from '../tables/keys.js'
import { firstKey, NOTHING } from '../tables/tables.js'
import { behind, classByte, type IndexedInvoice, type Place } from './invoice-places.js'
import { enterAmount, leaveAmount } from './open-amounts.js'
import { enterSet, leaveSet, listedSets } from './wallet-sets.js'

/*
 * The open invoices: those that are not void and not known to be paid. An open one may have been paid by
 * deposits that were made for another; the first search that meets it finds that out and settles it (`settleIfPaid`).
 *
 *     open-invoices   set no (4) │ class (1) │ id → nothing     those of a set of wallets, by class and age
 *
 * An invoice is one row, on however many wallets. Which sets have some on a wallet is in `open-sets` (`wallet-sets.ts`), and which amounts they ask of it in
 * `open-amounts`. What the caches hold of the sets saves a creation from reading them for each of its wallets.
 */

export const OPEN_KEY_BYTES = NUMBER_BYTES + 1 + ID_BYTES

/** `isAlone`: no open invoice asks its amount on any of its wallets. */
export function enterOpen(commit: Commit, invoice: IndexedInvoice, isAlone = false): void {
  setEnters(commit, invoice)
  enterAmount(commit, invoice, isAlone)
  commit.tables.openInvoices.putSync(openKey(invoice), NOTHING)
}

export function leaveOpen(commit: Commit, invoice: IndexedInvoice): void {
  leaveAmount(commit, invoice)
  commit.tables.openInvoices.removeSync(openKey(invoice))
  setLeaves(commit, invoice)
}

/** Removes the indexes of all open invoices, for a migration that makes them again. */
export function clearOpen({ tables, caches }: Commit): void {
  tables.openInvoices.clearSync()
  tables.openAmounts.clearSync()
  tables.openSets.clearSync()
  tables.walletSetNos.clearSync()
  caches.openSets.clear()
}

export function isOpen({ tables }: Reader, invoice: IndexedInvoice): boolean {
  return tables.openInvoices.doesExist(openKey(invoice))
}

/** The open invoices of a currency at a place. */
export function* openOfCurrency(at: Reader, place: Place, currencyNo: CurrencyNo): Generator<InvoiceId> {
  for (const setNo of listedSets(at, place)) {
    const range = {
      start: openPrefix(setNo, classByte(currencyNo, 0)),
      end: behind(openPrefix(setNo, classByte(currencyNo, 2))),
    }
    // Read before the caller changes the table.
    for (const key of [...at.tables.openInvoices.getKeys(range)]) yield idOfKey<InvoiceId>(key)
  }
}

/** The first open invoice of a set, of a currency when it is given; null when there is none. */
export function firstOpenOf({ tables }: Reader, setNo: SetNo, currencyNo?: CurrencyNo): InvoiceId | null {
  const [low, high] = currencyNo === undefined ? [0, 0xff] : [classByte(currencyNo, 0), classByte(currencyNo, 2)]
  const key = firstKey(tables.openInvoices, openPrefix(setNo, low), behind(openPrefix(setNo, high)))
  return key === undefined ? null : idOfKey<InvoiceId>(key)
}

/** The oldest open invoice of a set and class that is younger than `after`, if given, and older than `before`. */
export function oldestOpenOf(
  { tables }: Commit,
  setNo: SetNo,
  ofClass: number,
  before: Buffer,
  after?: InvoiceId,
): InvoiceId | null {
  const prefix = openPrefix(setNo, ofClass)
  const start = after === undefined ? prefix : Buffer.concat([prefix, after, Buffer.of(0)])
  const key = firstKey(tables.openInvoices, start, Buffer.concat([prefix, before]))
  return key === undefined ? null : idOfKey<InvoiceId>(key)
}

/** Up to `limit` open invoices of a currency at a place, from the id `from` on and before the id `before`, oldest first. */
export function openBetween(
  at: Reader,
  place: Place,
  currencyNo: CurrencyNo,
  [from, before]: readonly [Buffer, Buffer],
  limit: number,
): readonly InvoiceId[] {
  const found: InvoiceId[] = []
  for (const setNo of listedSets(at, place)) {
    for (const callback of Object.values(CALLBACK)) {
      const prefix = openPrefix(setNo, classByte(currencyNo, callback))
      const range = { start: Buffer.concat([prefix, from]), end: Buffer.concat([prefix, before]), limit }
      for (const key of at.tables.openInvoices.getKeys(range)) found.push(idOfKey<InvoiceId>(key))
    }
  }
  return found.sort(Buffer.compare).slice(0, limit)
}

/** Up to `limit` open invoices at a place: of its latest sets, the last ones. */
export function lastOpenAt(at: Reader, place: Place, limit: number): readonly InvoiceId[] {
  const found: InvoiceId[] = []
  for (const setNo of listedSets(at, place).toReversed()) {
    const end = numberKey(setNo)
    const range = { reverse: true, start: behind(end), end, limit: limit - found.length }
    for (const key of at.tables.openInvoices.getKeys(range)) found.push(idOfKey<InvoiceId>(key))
    if (found.length === limit) break
  }
  return found
}

/** The keys of up to `limit` open invoices on a wallet, of all owners, behind one of those keys. */
export function openKeysOn(at: Reader, walletNo: WalletNo, after: Buffer, limit: number): readonly Buffer[] {
  const keys: Buffer[] = []
  for (const setNo of listedSets(at, numberKey(walletNo))) {
    const end = behind(numberKey(setNo))
    const start = after.length === 0 ? numberKey(setNo) : Buffer.concat([after, Buffer.of(0)])
    if (Buffer.compare(start, end) >= 0) continue
    const range = { start: start.readUInt32BE(0) < setNo ? numberKey(setNo) : start, end, limit: limit - keys.length }
    keys.push(...at.tables.openInvoices.getKeys(range))
    if (keys.length === limit) break
  }
  return keys
}

/** Whether a set has an open invoice. */
export function hasOpenInvoice(commit: Commit, setNo: SetNo): boolean {
  const { holders } = commit.caches.openSets
  const known = holders.get(setNo)
  if (known !== undefined) return known
  const found = firstOpenOf(commit, setNo) !== null
  holders.set(setNo, found)
  return found
}

/** How many sets have open invoices at a place. */
export function countOpenSetsAt(commit: Commit, place: Place): number {
  const { counts } = commit.caches.openSets
  const name = nameOf(place)
  const known = counts.get(name)
  if (known !== undefined) return known
  const count = listedSets(commit, place).filter((setNo) => hasOpenInvoice(commit, setNo)).length
  counts.set(name, count)
  return count
}

/** Call it before an open invoice of the set is entered. */
function setEnters(commit: Commit, { places, setNo }: IndexedInvoice): void {
  if (hasOpenInvoice(commit, setNo)) return
  commit.caches.openSets.holders.set(setNo, true)
  enterSet(commit, setNo, places)
  for (const place of places) adjust(commit, place, 1)
}

/** Call it when an open invoice of the set has left. */
function setLeaves(commit: Commit, { places, setNo }: IndexedInvoice): void {
  forgetFull(commit)
  commit.caches.openSets.holders.delete(setNo)
  if (hasOpenInvoice(commit, setNo)) return
  leaveSet(commit, setNo, places)
  for (const place of places) adjust(commit, place, -1)
}

export function isKnownFull({ caches }: Commit, place: Place): boolean {
  return caches.openSets.full.has(nameOf(place))
}

/** Notes that a place has no room until something is confirmed on these wallets. */
export function noteFull({ caches }: Commit, place: Place, walletIds: Iterable<string>): void {
  caches.openSets.full.add(nameOf(place))
  for (const id of walletIds) caches.openSets.deciding.add(id)
}

/** More was confirmed on a wallet than before, or its address became known. */
export function depositsChanged(commit: Commit, walletId: string): void {
  if (commit.caches.openSets.deciding.has(walletId)) forgetFull(commit)
}

function adjust({ caches }: Commit, place: Place, by: number): void {
  const name = nameOf(place)
  const known = caches.openSets.counts.get(name)
  if (known !== undefined) caches.openSets.counts.set(name, known + by)
}

function forgetFull({ caches }: Commit): void {
  caches.openSets.full.clear()
  caches.openSets.deciding.clear()
}

function nameOf(place: Place): string {
  return place.toString('latin1')
}

export function openKey({ setNo, currencyNo, callback, id }: IndexedInvoice): Buffer {
  const key = Buffer.allocUnsafe(OPEN_KEY_BYTES)
  key.writeUInt32BE(setNo, 0)
  key[NUMBER_BYTES] = classByte(currencyNo, callback)
  key.set(id, NUMBER_BYTES + 1)
  return key
}

/** The beginning of the open keys of a class of a set of wallets. */
function openPrefix(setNo: SetNo, ofClass: number): Buffer {
  const prefix = Buffer.allocUnsafe(NUMBER_BYTES + 1)
  prefix.writeUInt32BE(setNo, 0)
  prefix[NUMBER_BYTES] = ofClass
  return prefix
}

/** The class and the id in a key of `open-invoices`. */
export function readOpenKey(key: Buffer): { readonly ofClass: number; readonly id: Buffer } {
  return { ofClass: key[NUMBER_BYTES] ?? 0, id: key.subarray(NUMBER_BYTES + 1) }
}
