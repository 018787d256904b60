import type { Sighting } from '../../../src/domain/deposit.js'
import type { EventType, FailedDelivery } from '../../../src/domain/event.js'
import type { Invoice } from '../../../src/domain/invoice.js'

/** What is told of an event, without its id and its time. */
export interface ModelEvent {
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
  private readonly logs = new Map<string, ModelEvent[]>()

  of(owner: string): readonly ModelEvent[] {
    return this.logs.get(owner) ?? []
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
    log.push({ type, ...named, deposit, delivery, ...(isLate ? { late: true } : {}) })
  }
}
