import type { Currency } from '../../../domain/amount.js'
import { currencyByte } from '../payments/running-totals.js'
import { endOf, ID_BYTES, NUMBER_BYTES, sortableAmount } from '../tables/bytes.js'
import type { InvoiceId, OwnerNo, SetNo, WalletNo } from '../tables/names.js'

/** How an invoice is notified, which decides what deposits it is a candidate for. */
export const CALLBACK = {
  /** It has no reference, so it is never notified. */
  none: 0,
  /** It has a callback URL of its own. */
  own: 1,
  /** It has none of its own and takes its owner's. */
  default: 2,
} as const
export type Callback = (typeof CALLBACK)[keyof typeof CALLBACK]

/** An invoice as the indexes on its wallets see it. */
export interface IndexedInvoice {
  readonly id: InvoiceId
  /** One on each of its wallets, in the order in which it names them. */
  readonly places: readonly Place[]
  readonly setNo: SetNo
  readonly currency: Currency
  /** Atoms. */
  readonly amount: bigint
  readonly callback: Callback
}

/**
 * The invoices of an owner on a wallet: the beginning of the keys of every index below. A wallet's invoices of a former
 * owner stay where they were, and are found again only when the wallet comes back to that owner.
 */
declare const kind: unique symbol
export type Place = Buffer & { readonly [kind]: 'place' }

export const PLACE_BYTES = 2 * NUMBER_BYTES
const AMOUNT_BYTES_MAX = 34

export function placeOf(walletNo: WalletNo, ownerNo: OwnerNo): Place {
  const place = Buffer.allocUnsafe(PLACE_BYTES) as Place
  place.writeUInt32BE(walletNo, 0)
  place.writeUInt32BE(ownerNo, NUMBER_BYTES)
  return place
}

export function walletNoOf(place: Place): WalletNo {
  return place.readUInt32BE(0) as WalletNo
}

/** A currency and a way of notification in one byte; those of a currency lie side by side. */
export function classByte(currency: Currency, callback: Callback): number {
  return currencyByte(currency) * 4 + callback
}

/** place │ set no (4) │ class (1) │ id: in the order of age within a set of wallets. */
const OPEN_KEY_BYTES = PLACE_BYTES + NUMBER_BYTES + 1 + ID_BYTES

export function openKey(place: Place, { setNo, currency, callback, id }: IndexedInvoice): Buffer {
  const key = Buffer.allocUnsafe(OPEN_KEY_BYTES)
  key.set(place)
  key.writeUInt32BE(setNo, PLACE_BYTES)
  key[PLACE_BYTES + NUMBER_BYTES] = classByte(currency, callback)
  key.set(id, PLACE_BYTES + NUMBER_BYTES + 1)
  return key
}

/** The beginning of the open keys of a set of wallets, of one class when it is given. */
export function openPrefix(place: Place, setNo: SetNo, ofClass?: number): Buffer {
  const prefix = Buffer.allocUnsafe(PLACE_BYTES + NUMBER_BYTES + (ofClass === undefined ? 0 : 1))
  prefix.set(place)
  prefix.writeUInt32BE(setNo, PLACE_BYTES)
  if (ofClass !== undefined) prefix[PLACE_BYTES + NUMBER_BYTES] = ofClass
  return prefix
}

export function setNoOfOpenKey(key: Buffer): SetNo {
  return key.readUInt32BE(PLACE_BYTES) as SetNo
}

/** place │ currency (1) │ amount. */
export function amountKey(place: Place, currency: Currency, amount: bigint): Buffer {
  const sortable = sortableAmount(amount)
  const key = Buffer.allocUnsafe(PLACE_BYTES + 1 + sortable.length)
  key.set(place)
  key[PLACE_BYTES] = currencyByte(currency)
  key.set(sortable, PLACE_BYTES + 1)
  return key
}

/** place │ class (1): paid invoices of a kind, by age. */
export function paidPrefix(place: Place, ofClass: number): Buffer {
  return Buffer.concat([place, Buffer.of(ofClass)])
}

export function paidKey(place: Place, { currency, callback, id }: IndexedInvoice): Buffer {
  return Buffer.concat([paidPrefix(place, classByte(currency, callback)), id])
}

/** place │ class (1) │ amount: paid invoices of an amount that no deposit has matched, by age. */
export function unmatchedPrefix(place: Place, ofClass: number, amount: bigint): Buffer {
  return Buffer.concat([paidPrefix(place, ofClass), sortableAmount(amount)])
}

export function unmatchedKey(place: Place, { currency, callback, amount, id }: IndexedInvoice): Buffer {
  return Buffer.concat([unmatchedPrefix(place, classByte(currency, callback), amount), id])
}

/** Behind every key that begins with `prefix`. */
export function behind(prefix: Buffer): Buffer {
  return endOf(prefix, prefix.length + NUMBER_BYTES + 1 + AMOUNT_BYTES_MAX + ID_BYTES)
}
