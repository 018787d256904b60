import type { Currency } from '../../../domain/amount.js'
import type { OrderEventType } from '../../../domain/event.js'
import type { Order } from '../../../domain/order.js'
import type { CountedPortion, OrderWork } from '../../rules/order-work.js'
import type { Commit } from '../commit/commit.js'
import { logEvent } from '../events/event-log.js'
import { orderEvent } from '../events/event-rows.js'
import { ownerNoOf } from '../identities/identities.js'
import { LmdbInvoiceLife, settleIfPaid } from '../invoices/invoice-index.js'
import { indexed } from '../invoices/invoice-places.js'
import { atomsOf, type InvoiceRow, invoiceRow } from '../invoices/invoice-rows.js'
import { findOpenOfAmount } from '../invoices/open-amounts.js'
import { openOfCurrency } from '../invoices/open-invoices.js'
import { ownFor } from '../payments/payments.js'
import type { InvoiceId } from '../tables/keys.js'
import { leaningOn, listLeaning } from './leaning-orders.js'
import { keyOf, orderRow, putOrderRow } from './order-rows.js'

/** The orders of a commit. There is one writer, so what is read stays true until the commit. */
export class LmdbOrderWork implements OrderWork<InvoiceRow> {
  readonly life: LmdbInvoiceLife

  /** `areWalletsShared`: whether several unpaid invoices of a currency may be on a wallet. */
  constructor(
    private readonly commit: Commit,
    private readonly areWalletsShared: boolean,
  ) {
    this.life = new LmdbInvoiceLife(commit)
  }

  order(id: string): Order {
    return orderRow(this.commit, id)
  }

  options({ options }: Order): readonly InvoiceRow[] {
    return options.map(({ invoiceId }) => invoiceRow(this.commit, Buffer.from(invoiceId, 'hex') as InvoiceId))
  }

  hold(rows: readonly InvoiceRow[]): readonly InvoiceRow[] {
    return rows
  }

  holdWithWallets(rows: readonly InvoiceRow[]): readonly InvoiceRow[] {
    return rows
  }

  portionOf(row: InvoiceRow): CountedPortion {
    return { amount: atomsOf(row.invoice), ...ownFor(this.commit, row) }
  }

  isFree(row: InvoiceRow): boolean {
    const { commit } = this
    const { places, currencyNo, amount } = indexed(commit, row)
    const isUnpaid = (id: InvoiceId) => settleIfPaid(commit, id) === 'open'
    if (this.areWalletsShared) return findOpenOfAmount(commit, places, currencyNo, amount, isUnpaid) < 0
    return !places.flatMap((place) => [...openOfCurrency(commit, place, currencyNo)]).some(isUnpaid)
  }

  put(order: Order): void {
    putOrderRow(this.commit, order)
  }

  list(order: Order, rows: readonly InvoiceRow[]): void {
    listLeaning(this.commit, order, rows)
  }

  listedUnder(walletId: string, currency: Currency): readonly string[] {
    return leaningOn(this.commit, walletId, currency)
  }

  log(type: OrderEventType, { id, owner }: Order, cause: InvoiceRow | null): void {
    const ownerNo = ownerNoOf(this.commit, owner)
    if (ownerNo === undefined) throw new Error('the owner of an order is not known')
    logEvent(this.commit, ownerNo, orderEvent(type, keyOf(id), cause?.id ?? null))
  }

  changed(walletId: string): void {
    this.commit.changed(walletId)
  }
}

/** For what ends invoices and opens none again. */
export function orderWorkOn(commit: Commit): LmdbOrderWork {
  return new LmdbOrderWork(commit, true)
}
