import type { Order } from '../../../../domain/order.js'
import { optionReference } from '../../../../domain/order.js'
import { type Portion, shareOf, standingOf } from '../../../../domain/order-share.js'
import { isPaid } from '../../../../domain/payment.js'
import { orderEvent } from '../../events/event-rows.js'
import { atomsOf, fromStored, type InvoiceRow, invoiceCodec } from '../../invoices/invoice-rows.js'
import { readMatches } from '../../invoices/matches.js'
import type { WalletSet } from '../../invoices/wallet-set.js'
import { decodeOrder, numberedKey, orderExpiryKey } from '../../orders/order-rows.js'
import { accountOf, totalAfter } from '../../payments/running-totals.js'
import { ID_BYTES, type InvoiceId, type OrderId, type OwnerNo, timeOfId, under } from '../../tables/keys.js'
import type { ReadTable } from '../../tables/tables.js'
import type { Reading } from '../reading.js'
import type { MakeRule, Rule } from './rule.js'

export const orders: MakeRule = (reading) => new OrderRule(reading)

/** An order and its invoices name each other, and how it stands follows from what has come for them. */
class OrderRule implements Rule {
  constructor(private readonly reading: Reading) {}

  row(key: Buffer, value: Buffer): void {
    const { reading } = this
    if (key.length !== ID_BYTES) return reading.wrong('its key is not an id')
    const id = Buffer.from(key) as OrderId
    const order = decodeOrder(id, value)
    const ownerNo = reading.identity(order.owner)?.no
    if (ownerNo === undefined) return reading.wrong('identities does not have its owner')
    reading.owe('ownerOrders', under(ownerNo, id))
    const { orderNumber } = order.fields
    if (orderNumber !== null) reading.owe('numberedOrders', numberedKey(orderNumber, ownerNo, id))
    if (!order.isExpiryDecided) reading.owe('orderExpiries', orderExpiryKey(order.expiresAt, id))
    reading.expect(order.voidedAt === null || order.acceptedAt === null, 'it is void and accepted')
    this.checkEvents(order, ownerNo, id)
    const rows = order.options.map((_, i) => this.option(order, i))
    const found = rows.filter((row) => row !== null)
    if (found.length < rows.length) return
    this.checkEnd(order, found)
    this.checkStanding(order, found)
  }

  /** The invoice of an option; null when it is not there, or is another's. */
  private option(order: Order, i: number): InvoiceRow | null {
    const { reading } = this
    const id = Buffer.from(order.options[i]?.invoiceId ?? '', 'hex') as InvoiceId
    const packed = reading.get('invoices', id)
    if (packed === undefined) {
      reading.wrong(`invoices does not have the invoice of its option ${i + 1}`)
      return null
    }
    const stored = invoiceCodec.decode(packed)
    const set = reading.walletSet(stored.setNo as WalletSet['no'])
    // A missing set is told where the invoice is read.
    if (set === undefined) return null
    const row = fromStored(id, stored, set, reading.currencies)
    reading.expect(row.orderId === order.id, `the invoice of its option ${i + 1} names another order, or none`)
    reading.expect(row.invoice.owner === order.owner, `the invoice of its option ${i + 1} is of another owner`)
    reading.expect(
      row.invoice.reference === optionReference(order, i + 1),
      `the invoice of its option ${i + 1} has another reference`,
    )
    return row
  }

  private checkEnd({ standing, acceptedAt, voidedAt }: Order, rows: readonly InvoiceRow[]): void {
    if (standing === 'paid' || acceptedAt !== null || voidedAt === null) return
    const isOver = rows.every((row) => row.voidedAt !== null)
    this.reading.expect(isOver, 'it is void, and one of its invoices can be paid')
  }

  /**
   * One that is neither paid nor accepted is void when none of its invoices can be paid. Where something counts that is matched to no
   * invoice, the next deposit judges: it may be paid, and is not known to be.
   */
  private checkStanding(order: Order, rows: readonly InvoiceRow[]): void {
    const matched: Portion[] = []
    for (const row of rows) {
      const amount = atomsOf(row.invoice)
      const { seen, confirmed } = this.matchedTo(row.id)
      if (this.countsUnmatched(row)) return
      matched.push({ amount, own: { confirmed, pending: seen - confirmed } })
    }
    const standing = standingOf(shareOf(matched))
    this.reading.expect(standing === order.standing, `it stands as ${order.standing}, and its invoices say ${standing}`)
    if (order.acceptedAt !== null) return
    const isOver = rows.every((row) => row.voidedAt !== null)
    // Theirs are decided before its own.
    const isEndDue = isOver && order.isExpiryDecided && order.standing !== 'paid'
    this.reading.expect(!isEndDue || order.voidedAt !== null, 'none of its invoices can be paid, and it is not void')
    if (order.standing !== 'paid') return
    const isOpen = rows.some((row, i) => row.voidedAt === null && !isPaid(...paidOf(matched[i])))
    this.reading.expect(!isOpen, 'it is paid, and an invoice that is not paid is not void')
  }

  private matchedTo(id: InvoiceId): { readonly seen: bigint; readonly confirmed: bigint } {
    const stored = this.reading.get('matches', id)
    return stored === undefined ? { seen: 0n, confirmed: 0n } : readMatches(stored)
  }

  private countsUnmatched({ invoice }: InvoiceRow): boolean {
    const { tables } = this.reading
    const names = invoice.wallet_ids?.split(',') ?? [invoice.wallet_id]
    return names.some((name) => {
      const addressNo = this.reading.wallet(name)?.addressNo ?? null
      if (addressNo === null) return false
      const currencyNo = this.reading.currencies.numberOf(invoice.currency)
      if (currencyNo === undefined) return false
      const account = accountOf(addressNo, currencyNo)
      const table: ReadTable | undefined = tables.unmatchedSeenTotals
      return table !== undefined && totalAfter(table, account, invoice.created_at) > 0n
    })
  }

  private checkEvents({ voidedAt, acceptedAt }: Order, ownerNo: OwnerNo, id: OrderId): void {
    const { logged } = this.reading
    const created = orderEvent('order.created', id, null)
    if (logged.isMissing(ownerNo, timeOfId(id), (event) => event.equals(created))) {
      this.reading.wrong('owner-events does not have that it was created')
    }
    const accepted = orderEvent('order.accepted', id, null)
    if (acceptedAt !== null && logged.isMissing(ownerNo, acceptedAt, (event) => event.equals(accepted))) {
      this.reading.wrong('owner-events does not have that it was accepted')
    }
    if (voidedAt === null) return
    const ends = [orderEvent('order.voided', id, null), orderEvent('order.expired', id, null)]
    if (logged.isMissing(ownerNo, voidedAt, (event) => ends.some((end) => event.equals(end)))) {
      this.reading.wrong('owner-events does not have that it became void')
    }
  }
}

function paidOf(portion: Portion | undefined): readonly [bigint, bigint] {
  return [portion?.amount ?? 0n, portion?.own.confirmed ?? 0n]
}
