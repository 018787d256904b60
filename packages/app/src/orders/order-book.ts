import { type Billhook, BillhookError, type BillhookEvent, type Order } from '@billhook/client'
import { startsWith } from '../invoices/search.js'
import { LiveList } from '../lists/live-list.js'

type Reader = Pick<Billhook, 'listOrders' | 'getOrder'>
export type OrderStatus = Order['status']

/** Which orders are shown. */
export interface OrderFilter {
  /** Its beginning. */
  readonly orderNumber: string
  readonly status: OrderStatus | null
}

/** The orders of the owner, live. */
export class OrderBook extends LiveList<Order, OrderFilter> {
  constructor(
    private readonly billhook: Reader,
    private readonly ended: AbortSignal,
  ) {
    super({ orderNumber: '', status: null })
  }

  /** Reads one anew. */
  async read(id: string): Promise<Order> {
    const order = await this.billhook.getOrder(id, { signal: this.ended })
    if (order.id !== id) throw new BillhookError('The service answered with another order.', 'unexpected_answer')
    this.take([order])
    return order
  }

  /** Reads those that events are about. */
  async follow(events: readonly BillhookEvent[]): Promise<void> {
    const ids = new Set(events.flatMap(({ orderId }) => orderId ?? []))
    for (const id of ids) {
      try {
        await this.read(id)
      } catch (error) {
        if (!(error instanceof BillhookError) || error.code !== 'order_not_found') throw error
      }
    }
  }

  protected list({ status }: OrderFilter): AsyncGenerator<Order, void> {
    return this.billhook.listOrders({ status: status ?? undefined, signal: this.ended })
  }

  protected fits(order: Order, { orderNumber, status }: OrderFilter): boolean {
    return startsWith(order.orderNumber, orderNumber) && (status === null || order.status === status)
  }
}
