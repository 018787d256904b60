import type { Currency } from '../../domain/currency.js'
import { walletsOf } from '../../domain/invoice.js'
import { isPaid } from '../../domain/payment.js'
import { decideExpiry, isCovered, isExpiryDue } from '../../domain/voiding.js'
import { CALLBACK, type IndexedInvoice, placeOf } from './invoice-places.js'
import { atomsOf, type InvoiceRow, type InvoiceRows } from './invoice-rows.js'
import type { Matches } from './matches.js'
import type { OpenInvoices } from './open-invoices.js'
import type { PaidInvoices } from './paid-invoices.js'
import type { Payees } from './payees.js'
import type { Payments } from './payments.js'
import type { Account } from './running-totals.js'
import type { Wallets } from './wallets.js'

/**
 * Keeps the invoices on wallets where collisions and deposits look for them. An invoice that is not void stands in one of
 * two states:
 *
 *     open    not known to be paid          until somebody finds it paid (`isUnpaid`)
 *     paid    found paid                    until a reorganisation takes the payment away (`reopen`)
 *
 * What is paid never stands in the way of a search, however much a wallet has sold; what is open and was paid by deposits
 * that were meant for others is found out by who meets it, once.
 */
export class InvoiceIndex {
  constructor(
    private readonly rows: InvoiceRows,
    private readonly payees: Payees,
    private readonly wallets: Wallets,
    private readonly payments: Payments,
    readonly open: OpenInvoices,
    readonly paid: PaidInvoices,
    readonly matches: Matches,
  ) {}

  of(id: Buffer, row: InvoiceRow): IndexedInvoice {
    const { ownerNo } = this.payees.find(row.payeeNo)
    return {
      id,
      places: walletsOf(row).map((walletId) => placeOf(this.walletNo(walletId), ownerNo)),
      payeeNo: row.payeeNo,
      currency: row.currency,
      amount: atomsOf(row),
      callback: callbackOf(row),
    }
  }

  /** How many wallets the invoices of a payee have. */
  walletCountOf(payeeNo: number): number {
    return this.payees.find(payeeNo).walletIds.length
  }

  /** Decides the expiry of an invoice if it is due, and answers its row as it is then. One that is void stands nowhere. */
  decideExpiry(id: Buffer, nowMs: number): InvoiceRow {
    const row = this.rows.get(id)
    if (!isExpiryDue(row, nowMs)) return row
    const decided = { ...row, ...decideExpiry(row, this.isCovered(row)) }
    this.put(id, decided)
    return decided
  }

  /** Paid or being paid. */
  isCovered(row: InvoiceRow): boolean {
    return isCovered(atomsOf(row), this.payments.received(row))
  }

  /** Keeps what was decided about an open invoice; a void one leaves the index. */
  put(id: Buffer, row: InvoiceRow): void {
    this.rows.put(id, row)
    if (row.voidedAt !== null) this.open.leave(this.of(id, row))
  }

  /** Whether an open invoice is unpaid and not void. One that turns out to be paid is settled. */
  isUnpaid(id: Buffer, nowMs: number): boolean {
    const row = this.decideExpiry(id, nowMs)
    if (row.voidedAt !== null) return false
    if (!isPaid(atomsOf(row), this.payments.confirmed(row))) return true
    const invoice = this.of(id, row)
    this.open.leave(invoice)
    this.enterPaid(invoice)
    return false
  }

  /** A deposit matched the invoice. */
  match(id: Buffer): void {
    if (!this.matches.take(id)) return
    const invoice = this.of(id, this.rows.get(id))
    if (this.paid.has(invoice)) this.paid.leaveUnmatched(invoice)
  }

  /** A deposit that had matched the invoice was dropped. */
  giveBackMatch(id: Buffer): void {
    if (!this.matches.giveBack(id)) return
    const invoice = this.of(id, this.rows.get(id))
    if (this.paid.has(invoice)) this.paid.enterUnmatched(invoice)
  }

  /** Settles an open invoice that a confirmed deposit matched, when it is paid by now. */
  settleIfPaid(id: Buffer, nowMs: number): void {
    if (this.open.has(this.of(id, this.rows.get(id)))) this.isUnpaid(id, nowMs)
  }

  /**
   * A confirmed deposit left the account of a wallet: invoices created before it may be unpaid again. Everything created
   * up to the last moment that the rest of the account covers, whatever was asked, stays paid.
   */
  reopen(walletNo: number, currency: Currency, account: Account, receivedAt: number): void {
    const greatest = this.paid.greatest(walletNo, currency)
    const covered = this.payments.spans([account]).lastToReceive(greatest, receivedAt)
    for (const id of this.paid.between(walletNo, currency, covered === null ? 0 : covered + 1, receivedAt)) {
      const row = this.rows.get(id)
      if (isPaid(atomsOf(row), this.payments.confirmed(row))) continue
      const invoice = this.of(id, row)
      this.paid.leave(invoice)
      if (!this.matches.has(id)) this.paid.leaveUnmatched(invoice)
      this.open.enter(invoice)
    }
  }

  /** Enters an invoice that is paid. */
  enterPaid(invoice: IndexedInvoice): void {
    this.paid.enter(invoice)
    if (!this.matches.has(invoice.id)) this.paid.enterUnmatched(invoice)
  }

  private walletNo(walletId: string): number {
    const wallet = this.wallets.findInCommit(walletId)
    if (wallet === undefined) throw new Error('an invoice names a wallet that is not there')
    return wallet.no
  }
}

/** How an invoice is notified. */
export function callbackOf({ reference, callback_url }: Pick<InvoiceRow, 'reference' | 'callback_url'>) {
  if (reference === null) return CALLBACK.none
  return callback_url === null ? CALLBACK.default : CALLBACK.own
}
