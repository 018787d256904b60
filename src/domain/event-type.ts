import type { DepositReport } from './deposit.js'

/** What can happen to an owner (decisions 14). Stored by position: add new ones at the end. */
export const EVENT_TYPES = [
  'invoice.created',
  'invoice.voided',
  'invoice.expired',
  'invoice.paid',
  'invoice.unpaid',
  'deposit.pending',
  'deposit.confirmed',
  'deposit.dropped',
  'delivery.failed',
  'invoice.accepted',
  'order.created',
  'order.partly',
  'order.paid',
  'order.unpaid',
  'order.accepted',
  'order.expired',
  'order.voided',
  'order.overpaid',
] as const

export type EventType = (typeof EVENT_TYPES)[number]
export type InvoiceEventType = Extract<EventType, `invoice.${string}`>
export type OrderEventType = Extract<EventType, `order.${string}`>
export type DepositEventType = `deposit.${DepositReport}`

/** An event that a delivery tells. */
export interface EventName {
  /** 16 hex characters, as in the log. */
  readonly id: string
  readonly type: EventType
}
