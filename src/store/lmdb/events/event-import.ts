import type { Sighting } from '../../../domain/deposit.js'
import type { EventImportWork, ToldEvent } from '../../rules/import-events.js'
import { findDeposit } from '../deposits/deposit-rows.js'
import { internOwner } from '../identities/identities.js'
import { findInvoice, type InvoiceRow } from '../invoices/invoice-rows.js'
import { findOrder, keyOf } from '../orders/order-rows.js'
import { type OwnerNo, under } from '../tables/keys.js'
import { firstKey } from '../tables/tables.js'
import { beginBehind, EVENT_ID_BYTES, insertEvent, passOver, removedTo } from './event-log.js'
import { deliveryEvent, depositEvent, invoiceEvent, orderEvent } from './event-rows.js'
import { LmdbLogWork } from './logged-since.js'

const FIRST_ID = Buffer.alloc(EVENT_ID_BYTES)

/** What a commit does to import events. */
export class LmdbEventImport extends LmdbLogWork implements EventImportWork<InvoiceRow> {
  invoice(id: string): { readonly owner: string; readonly named: InvoiceRow } | undefined {
    const named = findInvoice(this.commit, id)
    return named === undefined ? undefined : { owner: named.invoice.owner, named }
  }

  ownerOfOrder(id: string): string | undefined {
    return findOrder(this.commit, id)?.owner
  }

  hasDeposit(deposit: Sighting): boolean {
    return findDeposit(this.commit, deposit) !== undefined
  }

  open(owner: string, id: string): boolean {
    const removed = removedTo(this.commit.tables.ownerEvents, this.ownerNo(owner))
    return removed !== undefined && Buffer.compare(Buffer.from(id, 'hex'), removed) <= 0
  }

  find(owner: string, id: string, event: ToldEvent<InvoiceRow> | null): 'none' | 'same' | 'other' {
    const stored = this.commit.tables.ownerEvents.get(this.key(owner, id))
    if (stored === undefined) return 'none'
    return event !== null && stored.equals(storedEvent(event)) ? 'same' : 'other'
  }

  hasEarlier(owner: string, id: string): boolean {
    const first = under(this.ownerNo(owner), FIRST_ID)
    return firstKey(this.commit.tables.ownerEvents, first, this.key(owner, id)) !== undefined
  }

  insert(owner: string, id: string, event: ToldEvent<InvoiceRow>): void {
    passOver(this.commit, this.ownerNo(owner), Buffer.from(id, 'hex'))
    insertEvent(this.commit, this.ownerNo(owner), Buffer.from(id, 'hex'), storedEvent(event))
  }

  beginBehind(owner: string, id: string): void {
    passOver(this.commit, this.ownerNo(owner), Buffer.from(id, 'hex'))
    beginBehind(this.commit, this.ownerNo(owner), Buffer.from(id, 'hex'))
  }

  private key(owner: string, id: string): Buffer {
    return under(this.ownerNo(owner), Buffer.from(id, 'hex'))
  }

  private ownerNo(owner: string): OwnerNo {
    return internOwner(this.commit, owner)
  }
}

function storedEvent(event: ToldEvent<InvoiceRow>): Buffer {
  if ('deposit' in event) return depositEvent(event.type, event.deposit, event.invoice?.id ?? null, event.isLate)
  if ('delivery' in event) return deliveryEvent(event.delivery, event.invoice?.invoice.id ?? null)
  if ('orderId' in event) return orderEvent(event.type, keyOf(event.orderId), event.invoice?.id ?? null)
  return invoiceEvent(event.type, event.invoice.id)
}
