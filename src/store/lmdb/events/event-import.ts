import type { EventImportWork, ToldEvent } from '../../rules/import-events.js'
import type { Commit } from '../commit/commit.js'
import { findDeposit } from '../deposits/deposit-rows.js'
import { internOwner } from '../identities/identities.js'
import { findInvoice, type InvoiceRow } from '../invoices/invoice-rows.js'
import { findOrder, keyOf } from '../orders/order-rows.js'
import { under } from '../tables/keys.js'
import { firstKey } from '../tables/tables.js'
import { beginBehind, EVENT_ID_BYTES, insertEvent, passOver, removedTo } from './event-log.js'
import { deliveryEvent, depositEvent, invoiceEvent, orderEvent } from './event-rows.js'

const FIRST_ID = Buffer.alloc(EVENT_ID_BYTES)

/** What a commit does to import events. */
export function eventImportOn(commit: Commit): EventImportWork<InvoiceRow, Buffer> {
  const { ownerEvents } = commit.tables
  const ownerNo = (owner: string) => internOwner(commit, owner)
  const bytesOf = (id: string) => Buffer.from(id, 'hex')
  const keyOf = (owner: string, id: string) => under(ownerNo(owner), bytesOf(id))
  return {
    invoice(id) {
      const named = findInvoice(commit, id)
      return named === undefined ? undefined : { owner: named.invoice.owner, named }
    },
    ownerOfOrder: (id) => findOrder(commit, id)?.owner,
    hasDeposit: (deposit) => findDeposit(commit, deposit) !== undefined,
    open(owner, id) {
      const removed = removedTo(ownerEvents, ownerNo(owner))
      return removed !== undefined && Buffer.compare(bytesOf(id), removed) <= 0
    },
    stored: (owner, id) => ownerEvents.get(keyOf(owner, id)),
    says: (stored, event) => stored.equals(storedEvent(event)),
    hasEarlier: (owner, id) => firstKey(ownerEvents, under(ownerNo(owner), FIRST_ID), keyOf(owner, id)) !== undefined,
    passOver: (owner, id) => passOver(commit, ownerNo(owner), bytesOf(id)),
    insert: (owner, id, event) => insertEvent(commit, ownerNo(owner), bytesOf(id), storedEvent(event)),
    beginBehind: (owner, id) => beginBehind(commit, ownerNo(owner), bytesOf(id)),
  }
}

function storedEvent(event: ToldEvent<InvoiceRow>): Buffer {
  if ('deposit' in event) return depositEvent(event.type, event.deposit, event.invoice?.id ?? null, event.isLate)
  if ('delivery' in event) return deliveryEvent(event.delivery, event.invoice?.invoice.id ?? null)
  if ('orderId' in event) return orderEvent(event.type, keyOf(event.orderId), event.invoice?.id ?? null)
  return invoiceEvent(event.type, event.invoice.id)
}
