import type { Currency } from '../../../domain/amount.js'
import { walletsOf } from '../../../domain/invoice.js'
import type { Order } from '../../../domain/order.js'
import type { Commit, Reader } from '../commit/commit.js'
import type { InvoiceRow } from '../invoices/invoice-rows.js'
import type { CurrencyNo } from '../tables/currencies.js'
import { endOf, ID_BYTES, NUMBER_BYTES, type OrderId, under, type WalletNo } from '../tables/keys.js'
import { NOTHING } from '../tables/tables.js'
import { findWallet } from '../wallets/wallets.js'
import { keyOf } from './order-rows.js'

/*
 * The orders that lean on money which is matched to no invoice, on each wallet of each of their invoices:
 *
 *     leaning-orders   wallet no │ currency (1) │ order id → nothing
 */

const LEANING_KEY_BYTES = NUMBER_BYTES + 1 + ID_BYTES

/** Lists an order that leans from now on, or takes out one that leans no more. */
export function listLeaning(commit: Commit, order: Order, rows: readonly InvoiceRow[]): void {
  const { leaningOrders } = commit.tables
  const id = keyOf(order.id)
  for (const { invoice } of rows) {
    const currencyNo = commit.currencies.noOf(invoice.currency)
    for (const walletId of walletsOf(invoice)) {
      const key = leaningKey(walletNoOf(commit, walletId), currencyNo, id)
      if (order.isLeaning) leaningOrders.putSync(key, NOTHING)
      else leaningOrders.removeSync(key)
    }
  }
}

/** The ids of those on a wallet in a currency, in their order. */
export function leaningOn(at: Reader, walletId: string, currency: Currency): readonly string[] {
  const prefix = leaningPrefix(walletNoOf(at, walletId), at.currencies.noOf(currency))
  const keys = at.tables.leaningOrders.getKeys({ start: prefix, end: endOf(prefix, LEANING_KEY_BYTES + 1) })
  return [...keys].map((key) => key.toString('hex', prefix.length))
}

export function leaningKey(walletNo: WalletNo, currencyNo: CurrencyNo, id: OrderId): Buffer {
  return Buffer.concat([leaningPrefix(walletNo, currencyNo), id])
}

function leaningPrefix(walletNo: WalletNo, currencyNo: CurrencyNo): Buffer {
  return under(walletNo, Buffer.of(currencyNo))
}

function walletNoOf(at: Reader, walletId: string): WalletNo {
  const wallet = findWallet(at, walletId)
  if (wallet === undefined) throw new Error('an invoice or a deposit names a wallet that is not there')
  return wallet.no
}
