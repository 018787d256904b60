import type { Invoice } from '../domain/invoice.js'
import type { OrderFields } from '../domain/order-fields.js'
import type { Payment } from '../domain/payment.js'
import { type Columns, timeText } from './column.js'

/** An invoice as the API answers it, with its payment. */
export interface InvoiceRecord extends Invoice, OrderFields {
  readonly payment: Payment
  readonly voided_at: number | null
  readonly accepted_at: number | null
  readonly expires_at: number | null
}

export const INVOICE_STATES = ['unpaid', 'paid', 'void', 'expired'] as const
export type InvoiceState = (typeof INVOICE_STATES)[number]

/** A void invoice stays void, whatever it receives; an accepted one is paid for people, whatever is missing. */
export function invoiceState(invoice: InvoiceRecord): InvoiceState {
  const { payment, voided_at: voidedAt, accepted_at: acceptedAt, expires_at: expiresAt } = invoice
  if (voidedAt === null) return acceptedAt === null ? payment.status : 'paid'
  return voidedAt === expiresAt ? 'expired' : 'void'
}

export const invoiceColumns = {
  created: { title: 'Created', kind: 'time', of: ({ created_at }) => timeText(created_at) },
  id: { title: 'Invoice', kind: 'id', of: ({ id }) => id },
  state: { title: 'State', kind: 'word', of: invoiceState },
  amount: { title: 'Amount', kind: 'figure', of: ({ amount }) => amount },
  currency: { title: 'Currency', kind: 'word', of: ({ currency }) => currency },
  received: { title: 'Received', kind: 'figure', of: ({ payment }) => payment.own },
  reference: { title: 'Reference', of: ({ reference }) => reference },
  name: { title: 'Name', of: ({ name }) => name },
  // Last, for programs that read the columns by their places.
  orderNumber: { title: 'Order', of: ({ orderNumber }) => orderNumber },
} satisfies Columns<InvoiceRecord>
