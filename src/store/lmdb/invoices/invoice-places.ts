import { walletsOf } from '../../../domain/invoice.js'
import { type Callback, callbackOf } from '../../rules/callbacks.js'
import type { Reader } from '../commit/commit.js'
import type { CurrencyNo } from '../tables/currencies.js'
import {
  endOf,
  ID_BYTES,
  type InvoiceId,
  type Named,
  NUMBER_BYTES,
  type OwnerNo,
  type SetNo,
  type WalletNo,
} from '../tables/keys.js'
import { findWallet } from '../wallets/wallets.js'
import { atomsOf, type InvoiceRow } from './invoice-rows.js'
import { findSet } from './wallet-sets.js'

/** An invoice as the indexes on its wallets see it. */
export interface IndexedInvoice {
  readonly id: InvoiceId
  /** One on each of its wallets, in the order in which it names them. */
  readonly places: readonly Place[]
  readonly setNo: SetNo
  readonly currencyNo: CurrencyNo
  /** Atoms. */
  readonly amount: bigint
  readonly callback: Callback
}

/**
 * The invoices of an owner on a wallet: the beginning of the keys of every index below. A wallet's invoices of a former
 * owner stay where they were, and are found again only when the wallet comes back to that owner.
 */
export type Place = Named<Buffer, 'place'>

export const PLACE_BYTES = 2 * NUMBER_BYTES
const AMOUNT_BYTES_MAX = 34

export function placeOf(walletNo: WalletNo, ownerNo: OwnerNo): Place {
  const place = Buffer.allocUnsafe(PLACE_BYTES) as Place
  place.writeUInt32BE(walletNo, 0)
  place.writeUInt32BE(ownerNo, NUMBER_BYTES)
  return place
}

/** A currency and a way of notification in one byte; those of a currency lie side by side. */
export function classByte(currencyNo: CurrencyNo, callback: Callback): number {
  return currencyNo * 4 + callback
}

/** The number of the currency of a class. */
export function currencyOfClass(ofClass: number): number {
  return ofClass >> 2
}

/** Behind every key that begins with `prefix`. */
export function behind(prefix: Buffer): Buffer {
  return endOf(prefix, prefix.length + NUMBER_BYTES + 1 + AMOUNT_BYTES_MAX + ID_BYTES)
}

export function indexed(at: Reader, { id, invoice, setNo }: InvoiceRow): IndexedInvoice {
  const { ownerNo } = findSet(at, setNo)
  const places = walletsOf(invoice).map((walletId) => {
    const wallet = findWallet(at, walletId)
    if (wallet === undefined) throw new Error('an invoice names a wallet that is not there')
    return placeOf(wallet.no, ownerNo)
  })
  const currencyNo = at.currencies.noOf(invoice.currency)
  return { id, places, setNo, currencyNo, amount: atomsOf(invoice), callback: callbackOf(invoice) }
}
