import { walletsOf } from '../../../../domain/invoice.js'
import { type Order, optionReference } from '../../../../domain/order.js'
import { flawsOfStanding } from '../../../rules/order-check.js'
import type { CountedPortion } from '../../../rules/order-work.js'
import { orderEvent } from '../../events/event-rows.js'
import { atomsOf, fromStored, type InvoiceRow, invoiceCodec } from '../../invoices/invoice-rows.js'
import { readMatches } from '../../invoices/matches.js'
import type { WalletSet } from '../../invoices/wallet-set.js'
import { leaningKey } from '../../orders/leaning-orders.js'
import { decodeOrder, keyOf, numberedKey, orderExpiryKey } from '../../orders/order-rows.js'
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
    const options = found.map((row) => ({ portion: this.portionOf(row), voidedAt: row.voidedAt }))
    for (const flaw of flawsOfStanding(order, options)) reading.wrong(flaw)
    if (order.isLeaning) for (const row of found) this.oweLeaning(order, row)
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

  /** It is listed under each wallet of the invoice. */
  private oweLeaning({ id }: Order, { invoice }: InvoiceRow): void {
    const currencyNo = this.reading.currencies.numberOf(invoice.currency)
    for (const name of walletsOf(invoice)) {
      const walletNo = this.reading.wallet(name)?.no
      // What is missing is told where the invoice is read.
      if (walletNo === undefined || currencyNo === undefined) continue
      this.reading.owe('leaningOrders', leaningKey(walletNo, currencyNo, keyOf(id)))
    }
  }

  private portionOf(row: InvoiceRow): CountedPortion {
    const { seen, confirmed } = this.matchedTo(row.id)
    const unmatched = this.unmatchedFor(row)
    return {
      amount: atomsOf(row.invoice),
      own: { confirmed: confirmed + unmatched, pending: seen - confirmed },
      unmatched,
    }
  }

  private matchedTo(id: InvoiceId): { readonly seen: bigint; readonly confirmed: bigint } {
    const stored = this.reading.get('matches', id)
    return stored === undefined ? { seen: 0n, confirmed: 0n } : readMatches(stored)
  }

  /** What is confirmed for an invoice and matched to none. Atoms. */
  private unmatchedFor({ invoice }: InvoiceRow): bigint {
    const table: ReadTable | undefined = this.reading.tables.unmatchedConfirmedTotals
    const currencyNo = this.reading.currencies.numberOf(invoice.currency)
    if (table === undefined || currencyNo === undefined) return 0n
    let sum = 0n
    for (const name of walletsOf(invoice)) {
      const addressNo = this.reading.wallet(name)?.addressNo ?? null
      if (addressNo !== null) sum += totalAfter(table, accountOf(addressNo, currencyNo), invoice.created_at)
    }
    return sum
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
