import { type Billhook, BillhookError, type BillhookEvent, type Order } from '@billhook/client'
import { computed, signal } from '@preact/signals'
import { startsWith } from '../invoices/search.js'

type Reader = Pick<Billhook, 'listOrders' | 'getOrder'>
export type OrderStatus = Order['status']

/** Which orders are shown. */
export interface OrderFilter {
  /** The beginning of the order number. */
  readonly number: string
  readonly status: OrderStatus | null
}

/** Rows that are added at once. */
const ROWS = 50
/** Orders that one search looks at before it asks whether to go on. */
const LOOKED_AT_MAX = 2000

/** The orders of the owner, live. */
export class OrderBook {
  private readonly known = signal<ReadonlyMap<string, Order>>(new Map())
  private source: AsyncGenerator<Order, void> | null = null
  readonly filter = signal<OrderFilter>({ number: '', status: null })
  /** Whether there may be more rows. */
  readonly hasMore = signal(true)
  /** Those that fit the filter, newest first. */
  readonly rows = computed(() => {
    const { value: filter } = this.filter
    const fitting = [...this.known.value.values()].filter((order) => fits(order, filter))
    return fitting.sort((a, b) => b.created_at - a.created_at)
  })

  constructor(
    private readonly billhook: Reader,
    private readonly ended: AbortSignal,
  ) {}

  find(id: string): Order | undefined {
    return this.known.value.get(id)
  }

  async choose(filter: OrderFilter): Promise<void> {
    this.filter.value = filter
    this.source = this.billhook.listOrders({ status: filter.status ?? undefined, signal: this.ended })
    this.hasMore.value = true
    await this.more()
  }

  /** Adds rows. */
  async more(): Promise<void> {
    const { source } = this
    const { value: filter } = this.filter
    const found: Order[] = []
    for (let looked = 0; source !== null && looked < LOOKED_AT_MAX && found.length < ROWS; looked++) {
      const { value, done } = await source.next()
      if (this.source !== source) return
      if (done === true || value === undefined) {
        this.hasMore.value = false
        break
      }
      if (fits(value, filter)) found.push(value)
    }
    this.take(found)
  }

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

  take(orders: readonly Order[]): void {
    this.known.value = new Map([...this.known.value, ...orders.map((order) => [order.id, order] as const)])
  }
}

function fits(order: Order, { number, status }: OrderFilter): boolean {
  return startsWith(order.orderNumber, number) && (status === null || order.status === status)
}
