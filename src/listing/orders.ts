import type { Invoice } from '../domain/invoice.js'
import type { Price } from '../domain/order.js'
import type { OrderFields } from '../domain/order-fields.js'
import type { OrderStatus } from '../domain/order-share.js'
import type { Payment } from '../domain/payment.js'
import { type Columns, timeText } from './column.js'

/** An order as the API answers it. Times are Unix milliseconds. */
export interface OrderRecord extends OrderFields {
  readonly id: string
  readonly owner: string
  readonly price: Price
  readonly name: string
  readonly description: string | null
  readonly reference: string | null
  readonly created_at: number
  readonly expires_at: number
  readonly voided_at: number | null
  readonly accepted_at: number | null
  readonly status: OrderStatus
  /** A decimal of 18 places, rounded down. */
  readonly paid_fraction: string
  readonly options: readonly OrderOptionRecord[]
}

export interface OrderOptionRecord {
  readonly invoice: Invoice
  readonly payment: Payment
  /** The price of one coin; null for an amount that the shop fixed. */
  readonly rate: string | null
  readonly rateAt: number | null
  /** In percent. */
  readonly spread: string | null
  /** What of its coin still completes the order. */
  readonly remaining: string
  readonly voided_at: number | null
}

export const orderColumns = {
  created: { title: 'Created', kind: 'time', of: ({ created_at }) => timeText(created_at) },
  id: { title: 'Order', kind: 'id', of: ({ id }) => id },
  state: { title: 'State', kind: 'word', of: ({ status }) => status },
  price: { title: 'Price', kind: 'figure', of: ({ price }) => price.amount },
  currency: { title: 'Currency', kind: 'word', of: ({ price }) => price.currency },
  paid: { title: 'Paid part', kind: 'figure', of: (order) => shortFraction(order.paid_fraction) },
  reference: { title: 'Reference', of: ({ reference }) => reference },
  name: { title: 'Name', of: ({ name }) => name },
  orderNumber: { title: 'Order number', of: ({ orderNumber }) => orderNumber },
} satisfies Columns<OrderRecord>

/** A fraction of 18 places without the zeros at its end. */
export function shortFraction(fraction: string): string {
  return fraction.replace(/\.?0+$/, '')
}
