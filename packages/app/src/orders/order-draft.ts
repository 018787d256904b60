import type { OrderDraft } from '@billhook/client'

export interface OrderAsked {
  readonly price: OrderDraft['price']
  readonly options: OrderDraft['options']
  readonly name: string
  /** Empty for none. */
  readonly orderNumber: string
}

/** The request for an order. Without a reference no webhook is sent, so it has one: `reference` is a new one. */
export function orderDraftOf({ orderNumber, ...asked }: OrderAsked, reference: string): OrderDraft {
  return { ...asked, reference, ...(orderNumber === '' ? {} : { orderNumber }) }
}
