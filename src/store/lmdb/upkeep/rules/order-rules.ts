import { flawOfOrder } from '../../../../domain/invoice-flaw.js'
import { areAbsent } from '../../../../domain/order-fields.js'
import { invoiceCodec } from '../../invoices/invoice-rows.js'
import { orderCodec, orderNumberKey } from '../../invoices/order-rows.js'
import type { WalletSet } from '../../invoices/wallet-set.js'
import { ID_BYTES, type InvoiceId } from '../../tables/keys.js'
import type { MakeRule } from './rule.js'

/** What an invoice says of its order is of an invoice, and found by its order number. */
export const orderFields: MakeRule = (reading) => ({
  row(key, value) {
    if (key.length !== ID_BYTES) return reading.wrong('its key is not an id')
    const order = orderCodec.decode(value)
    const invoice = reading.get('invoices', key)
    if (invoice === undefined) return reading.wrong('invoices does not have its invoice')
    reading.expect(!areAbsent(order), 'it says nothing')
    const flaw = flawOfOrder(order)
    if (flaw !== null) reading.wrong(flaw)
    const { setNo } = invoiceCodec.decode(invoice)
    // A missing set is told where the invoice is read.
    const set = reading.walletSet(setNo as WalletSet['no'])
    if (order.orderNumber === null || set === undefined) return
    reading.owe('orderNumbers', orderNumberKey(order.orderNumber, set.ownerNo, key as InvoiceId))
  },
})
