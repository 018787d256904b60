import type { Sighting } from '../../../src/domain/deposit.js'
import type { EventType, FailedDelivery } from '../../../src/domain/event.js'
import type { Invoice } from '../../../src/domain/invoice.js'
import { NO_ORDER_FIELDS, type OrderFields } from '../../../src/domain/order-fields.js'

/** What is told of an event, without its id and its time. */
export interface ModelEvent extends OrderFields {
  readonly type: EventType
  readonly invoiceId: string | null
  readonly reference: string | null
  readonly deposit: Sighting | null
  readonly delivery: FailedDelivery | null
  readonly late?: true
}

/**
 * What happened to each owner, in order (decisions 14). That an invoice was paid is not in here: it may be noted later than the
 * deposit, and is compared with the payment itself.
 */
export class ModelEvents {
  /** What each invoice says of its order. */
  private readonly orders = new Map<string, OrderFields>()
  private readonly logs = new Map<string, ModelEvent[]>()

  of(owner: string): readonly ModelEvent[] {
    return this.logs.get(owner) ?? []
  }

  noteOrder(id: string, order: OrderFields): void {
    this.orders.set(id, order)
  }

  add(
    owner: string,
    type: EventType,
    invoice: Pick<Invoice, 'id' | 'reference'> | undefined,
    about: Partial<Pick<ModelEvent, 'deposit' | 'delivery'>> & { readonly isLate?: boolean } = {},
  ): void {
    const log = this.logs.get(owner) ?? []
    this.logs.set(owner, log)
    const { deposit = null, delivery = null, isLate = false } = about
    const named = { invoiceId: invoice?.id ?? null, reference: invoice?.reference ?? null }
    const order = this.orders.get(invoice?.id ?? '') ?? NO_ORDER_FIELDS
    log.push({ type, ...named, ...order, deposit, delivery, ...(isLate ? { late: true } : {}) })
  }
}
