import type { TextKey } from '../languages/en.js'
import { text } from '../languages/language.js'
import type { OrderStatus } from '../orders/order-book.js'

export const STATUS_TEXTS: Readonly<Record<OrderStatus, TextKey>> = {
  unpaid: 'statusUnpaid',
  partly: 'statusPartly',
  paid: 'statusPaid',
  expired: 'statusExpired',
  void: 'statusVoid',
}

/** How an order stands, in a word. */
export function OrderStatusMark({ status }: { readonly status: OrderStatus }) {
  return (
    <span class={`state ${status === 'partly' ? 'seen' : status}`} data-state={status}>
      {text(STATUS_TEXTS[status])}
    </span>
  )
}
