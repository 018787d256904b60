import { CALLBACK } from '../../rules/callbacks.js'
import { SIMILAR_EXAMINED_MAX } from '../../rules/match-deposit.js'
import type { Commit, Reader } from '../commit/commit-loop.js'
import type { CurrencyNo } from '../tables/currencies.js'
import { ID_BYTES, type InvoiceId, idOfKey, NUMBER_BYTES, type SetNo, sortableAmount } from '../tables/keys.js'
import { firstKey, NOTHING } from '../tables/tables.js'
import { behind, classByte, type IndexedInvoice, PLACE_BYTES, type Place } from './invoice-places.js'

/*
 * The open invoices on each wallet: those that are not void and not known to be paid. An open one may have been paid by
 * deposits that were made for another; the first search that meets it finds that out and settles it (`settleIfPaid`).
 *
 *     open-amounts    which of them ask an amount       one look-up
 *     open-invoices   which of them a set of wallets has, by class and age     one seek
 *
 * Which sets of wallets have open invoices can be read from `open-invoices`. What the caches hold of it saves a creation from
 * reading it for each of its wallets.
 */

/** place │ set no (4) │ class (1) │ id: in the order of age within a set of wallets. */
const OPEN_KEY_BYTES = PLACE_BYTES + NUMBER_BYTES + 1 + ID_BYTES

/** `isAlone`: no open invoice asks its amount on any of its wallets. */
export function enterOpen(commit: Commit, invoice: IndexedInvoice, isAlone = false): void {
  setEnters(commit, invoice)
  const { openAmounts, openInvoices } = commit.tables
  for (const place of invoice.places) {
    const key = amountKey(place, invoice.currencyNo, invoice.amount)
    const others = isAlone ? undefined : openAmounts.get(key)
    openAmounts.putSync(key, others === undefined ? invoice.id : Buffer.concat([others, invoice.id]))
    openInvoices.putSync(openKey(place, invoice), NOTHING)
  }
}

export function leaveOpen(commit: Commit, invoice: IndexedInvoice): void {
  const { openAmounts, openInvoices } = commit.tables
  for (const place of invoice.places) {
    const key = amountKey(place, invoice.currencyNo, invoice.amount)
    const left = splitIds(openAmounts.get(key)).filter((id) => !id.equals(invoice.id))
    if (left.length === 0) openAmounts.removeSync(key)
    else openAmounts.putSync(key, Buffer.concat(left))
    openInvoices.removeSync(openKey(place, invoice))
  }
  setLeaves(commit, invoice)
}

export function isOpen({ tables }: Reader, invoice: IndexedInvoice): boolean {
  const [place] = invoice.places
  return place !== undefined && tables.openInvoices.doesExist(openKey(place, invoice))
}

/** The open invoices at a place that ask an amount, oldest entry first: at most one, except after a reorganisation. */
export function openOfAmount(
  { tables }: Commit,
  place: Place,
  currencyNo: CurrencyNo,
  amount: bigint,
): readonly InvoiceId[] {
  return splitIds(tables.openAmounts.get(amountKey(place, currencyNo, amount)))
}

/** The open invoices of a currency at a place. */
export function* openOfCurrency(at: Commit, place: Place, currencyNo: CurrencyNo): Generator<InvoiceId> {
  for (const setNo of openSetsAt(at, place)) {
    const range = {
      start: openPrefix(place, setNo, classByte(currencyNo, 0)),
      end: behind(openPrefix(place, setNo, classByte(currencyNo, 2))),
    }
    // Read before the caller changes the table.
    for (const key of [...at.tables.openInvoices.getKeys(range)]) yield idOfKey<InvoiceId>(key)
  }
}

/** Amounts in atoms: above one, and up to another. */
export interface Amounts {
  readonly above: bigint
  readonly to: bigint
}

/** The open invoices at a place that ask one of some amounts, as far as they are examined. */
export function openOfAmounts(
  { tables }: Commit,
  place: Place,
  currencyNo: CurrencyNo,
  { above, to }: Amounts,
): readonly InvoiceId[] {
  const range = { start: amountKey(place, currencyNo, to), end: amountKey(place, currencyNo, above) }
  const found: InvoiceId[] = []
  for (const { value } of tables.openAmounts.getRange({ ...range, reverse: true, limit: SIMILAR_EXAMINED_MAX })) {
    found.push(...splitIds(value))
  }
  return found
}

/** The first open invoice of a set, of a currency when it is given; null when there is none. */
export function firstOpenOf({ tables }: Commit, place: Place, setNo: SetNo, currencyNo?: CurrencyNo): InvoiceId | null {
  const [low, high] = currencyNo === undefined ? [0, 0xff] : [classByte(currencyNo, 0), classByte(currencyNo, 2)]
  const from = openPrefix(place, setNo, low)
  const key = firstKey(tables.openInvoices, from, behind(openPrefix(place, setNo, high)))
  return key === undefined ? null : idOfKey<InvoiceId>(key)
}

/** The oldest open invoice of a set and class that is younger than `after`, if given, and older than `before`. */
export function oldestOpenOf(
  { tables }: Commit,
  place: Place,
  setNo: SetNo,
  ofClass: number,
  before: Buffer,
  after?: InvoiceId,
): InvoiceId | null {
  const prefix = openPrefix(place, setNo, ofClass)
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
  for (const setNo of openSetsAt(at, place)) {
    for (const callback of Object.values(CALLBACK)) {
      const prefix = openPrefix(place, setNo, classByte(currencyNo, callback))
      const range = { start: Buffer.concat([prefix, from]), end: Buffer.concat([prefix, before]), limit }
      for (const key of at.tables.openInvoices.getKeys(range)) found.push(idOfKey<InvoiceId>(key))
    }
  }
  return found.sort(Buffer.compare).slice(0, limit)
}

/** Whether a set has an open invoice; `place` is any of its wallets. */
export function hasOpenInvoice({ tables, caches }: Commit, place: Place, setNo: SetNo): boolean {
  const { holders } = caches.openSets
  const known = holders.get(setNo)
  if (known !== undefined) return known
  const prefix = openPrefix(place, setNo)
  const found = firstKey(tables.openInvoices, prefix, behind(prefix)) !== undefined
  holders.set(setNo, found)
  return found
}

/** The sets that have open invoices at a place. */
export function* openSetsAt({ tables }: Reader, place: Place): Generator<SetNo> {
  const end = behind(place)
  for (let key = firstKey(tables.openInvoices, place, end); key !== undefined; ) {
    const setNo = key.readUInt32BE(PLACE_BYTES) as SetNo
    yield setNo
    key = firstKey(tables.openInvoices, behind(openPrefix(place, setNo)), end)
  }
}

export function countOpenSetsAt(commit: Commit, place: Place): number {
  const { counts } = commit.caches.openSets
  const name = nameOf(place)
  const known = counts.get(name)
  if (known !== undefined) return known
  const count = [...openSetsAt(commit, place)].length
  counts.set(name, count)
  return count
}

/** Call it before an open invoice of the set is entered. */
function setEnters(commit: Commit, { places, setNo }: IndexedInvoice): void {
  const [first] = places
  if (first === undefined || hasOpenInvoice(commit, first, setNo)) return
  commit.caches.openSets.holders.set(setNo, true)
  for (const place of places) adjust(commit, place, 1)
}

/** Call it when an open invoice of the set has left. */
function setLeaves(commit: Commit, { places, setNo }: IndexedInvoice): void {
  forgetFull(commit)
  const [first] = places
  commit.caches.openSets.holders.delete(setNo)
  if (first === undefined || hasOpenInvoice(commit, first, setNo)) return
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

export function openKey(place: Place, { setNo, currencyNo, callback, id }: IndexedInvoice): Buffer {
  const key = Buffer.allocUnsafe(OPEN_KEY_BYTES)
  key.set(place)
  key.writeUInt32BE(setNo, PLACE_BYTES)
  key[PLACE_BYTES + NUMBER_BYTES] = classByte(currencyNo, callback)
  key.set(id, PLACE_BYTES + NUMBER_BYTES + 1)
  return key
}

/** The beginning of the open keys of a set of wallets, of one class when it is given. */
function openPrefix(place: Place, setNo: SetNo, ofClass?: number): Buffer {
  const prefix = Buffer.allocUnsafe(PLACE_BYTES + NUMBER_BYTES + (ofClass === undefined ? 0 : 1))
  prefix.set(place)
  prefix.writeUInt32BE(setNo, PLACE_BYTES)
  if (ofClass !== undefined) prefix[PLACE_BYTES + NUMBER_BYTES] = ofClass
  return prefix
}

/** place │ currency (1) │ amount. */
export function amountKey(place: Place, currencyNo: CurrencyNo, amount: bigint): Buffer {
  const key = sortableAmount(amount, PLACE_BYTES + 1)
  key.set(place)
  key[PLACE_BYTES] = currencyNo
  return key
}

/** The ids in a row of `open-amounts`. */
function splitIds(bytes: Buffer | undefined): readonly InvoiceId[] {
  const ids: InvoiceId[] = []
  for (let end = ID_BYTES; end <= (bytes?.length ?? 0); end += ID_BYTES) {
    if (bytes !== undefined) ids.push(idOfKey<InvoiceId>(bytes.subarray(0, end)))
  }
  return ids
}
