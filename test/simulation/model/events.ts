import type { Sighting } from '../../../src/domain/deposit.js'
import type { EventType, FailedDelivery, OrderEventType } from '../../../src/domain/event.js'
import type { Invoice } from '../../../src/domain/invoice.js'
import type { Order } from '../../../src/domain/order.js'
import { NO_ORDER_FIELDS, type OrderFields } from '../../../src/domain/order-fields.js'

/** What is told of an event, without its id and its time. */
export interface ModelEvent extends OrderFields {
  readonly type: EventType
  readonly invoiceId: string | null
  readonly reference: string | null
  readonly deposit: Sighting | null
  readonly delivery: FailedDelivery | null
  readonly late?: true
  readonly orderId?: string
}

/** What events tell of an invoice beside its id. */
interface NamedInvoice {
  readonly reference: string | null
  readonly fields: OrderFields
  /** The order that it is an option of; null for none. */
  readonly orderId: string | null
}

/**
 * What happened to each owner, in order (decisions 14). That an invoice was paid is not in here: it may be noted later than the
 * deposit, and is compared with the payment itself. That the end of its order was taken back is: it is told as `invoice.unpaid`.
 */
export class ModelEvents {
  private readonly invoices = new Map<string, NamedInvoice>()
  private readonly logs = new Map<string, ModelEvent[]>()

  of(owner: string): readonly ModelEvent[] {
    return this.logs.get(owner) ?? []
  }

  noteInvoice({ id, reference }: Pick<Invoice, 'id' | 'reference'>, fields: OrderFields, orderId: string | null): void {
    this.invoices.set(id, { reference, fields, orderId })
  }

  add(
    owner: string,
    type: EventType,
    invoiceId: string | null,
    about: Partial<Pick<ModelEvent, 'deposit' | 'delivery'>> & { readonly isLate?: boolean } = {},
  ): void {
    const { deposit = null, delivery = null, isLate = false } = about
    const { reference = null, fields = NO_ORDER_FIELDS, orderId = null } = this.invoices.get(invoiceId ?? '') ?? {}
    const late = isLate ? ({ late: true } as const) : {}
    const order = orderId === null ? {} : { orderId }
    this.logOf(owner).push({ type, invoiceId, reference, ...fields, deposit, delivery, ...late, ...order })
  }

  /** `causeId`: the invoice whose deposit brought it about. */
  addOrder(type: OrderEventType, { id, owner, reference, fields }: Order, causeId: string | null): void {
    const about = { deposit: null, delivery: null, orderId: id }
    this.logOf(owner).push({ type, invoiceId: causeId, reference, ...fields, ...about })
  }

  private logOf(owner: string): ModelEvent[] {
    const log = this.logs.get(owner) ?? []
    this.logs.set(owner, log)
    return log
  }
}
