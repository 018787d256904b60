import type { Currency } from '../../../domain/amount.js'
import type { Commit } from '../commit/commit-loop.js'
import { ID_BYTES } from '../tables/bytes.js'
import { type InvoiceId, idOfKey, type SetNo } from '../tables/names.js'
import { firstKey, NOTHING } from '../tables/tables.js'
import { amountKey, behind, classByte, type IndexedInvoice, openKey, openPrefix, type Place } from './invoice-places.js'
import { setEnters, setLeaves } from './open-sets.js'

/*
 * The open invoices on each wallet: those that are not void and not known to be paid. An open one may have been paid by
 * deposits that were made for another; the first search that meets it finds that out and settles it (`invoice-index.ts`).
 *
 *     open-amounts    which of them ask an amount       one look-up
 *     open-invoices   which of them a set of wallets has, by class and age     one seek
 */

/** `isAlone`: no open invoice asks its amount on any of its wallets. */
export function enterOpen(commit: Commit, invoice: IndexedInvoice, isAlone = false): void {
  setEnters(commit, invoice)
  const { openAmounts, openInvoices } = commit.tables
  for (const place of invoice.places) {
    const key = amountKey(place, invoice.currency, invoice.amount)
    const others = isAlone ? undefined : openAmounts.get(key)
    openAmounts.putSync(key, others === undefined ? invoice.id : Buffer.concat([others, invoice.id]))
    openInvoices.putSync(openKey(place, invoice), NOTHING)
  }
}

export function leaveOpen(commit: Commit, invoice: IndexedInvoice): void {
  const { openAmounts, openInvoices } = commit.tables
  for (const place of invoice.places) {
    const key = amountKey(place, invoice.currency, invoice.amount)
    const left = splitIds(openAmounts.get(key)).filter((id) => !id.equals(invoice.id))
    if (left.length === 0) openAmounts.removeSync(key)
    else openAmounts.putSync(key, Buffer.concat(left))
    openInvoices.removeSync(openKey(place, invoice))
  }
  setLeaves(commit, invoice)
}

export function isOpen({ tables }: Commit, invoice: IndexedInvoice): boolean {
  const [place] = invoice.places
  return place !== undefined && tables.openInvoices.doesExist(openKey(place, invoice))
}

/** The open invoices at a place that ask an amount, oldest entry first: at most one, except after a reorganisation. */
export function openOfAmount(
  { tables }: Commit,
  place: Place,
  currency: Currency,
  amount: bigint,
): readonly InvoiceId[] {
  return splitIds(tables.openAmounts.get(amountKey(place, currency, amount)))
}

/** The first open invoice of a set, of a currency when it is given; null when there is none. */
export function firstOpenOf({ tables }: Commit, place: Place, setNo: SetNo, currency?: Currency): InvoiceId | null {
  const [low, high] = currency === undefined ? [0, 0xff] : [classByte(currency, 0), classByte(currency, 2)]
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

/** The ids in a row of `open-amounts`. */
function splitIds(bytes: Buffer | undefined): readonly InvoiceId[] {
  const ids: InvoiceId[] = []
  for (let end = ID_BYTES; end <= (bytes?.length ?? 0); end += ID_BYTES) {
    if (bytes !== undefined) ids.push(idOfKey<InvoiceId>(bytes.subarray(0, end)))
  }
  return ids
}
