import type { ImportedEvent } from '../../../domain/imported-event.js'
import type { ImportOutcome } from '../../store.js'
import type { Commit } from '../commit/commit-loop.js'
import { findDeposit } from '../deposits/deposit-rows.js'
import { internOwner, ownerNoOf } from '../identities/identities.js'
import { findInvoice } from '../invoices/invoice-rows.js'
import { type OwnerNo, under } from '../tables/keys.js'
import { firstKey } from '../tables/tables.js'
import { beginBehind, EVENT_ID_BYTES, insertEvent, removedTo } from './event-log.js'
import { deliveryEvent, depositEvent, invoiceEvent } from './event-rows.js'
import { skipLogging } from './logged-since.js'

/*
 * Events of another store keep their ids, so that a reader of the other store goes on here with the same cursor. Events of this
 * store that came before an import stand behind the imported ones, as their times say.
 */

const FIRST_ID = Buffer.alloc(EVENT_ID_BYTES)
const ADDED: ImportOutcome = { status: 'added' }
const KNOWN: ImportOutcome = { status: 'known' }

type Told = Extract<ImportedEvent, { readonly type: 'event' }>

/** An event that was removed here counts as known. What it names must be there. */
export function importEvent(commit: Commit, record: Told): ImportOutcome {
  const { owner, event } = record
  const id = Buffer.from(event.id, 'hex')
  const stored = storedEvent(commit, record)
  if (typeof stored === 'string') return refused(stored)
  const ownerNo = internOwner(commit, owner)
  if (isRemoved(commit, ownerNo, id)) return KNOWN
  const known = commit.tables.ownerEvents.get(under(ownerNo, id))
  if (known !== undefined) return known.equals(stored) ? KNOWN : refused('another event has its id')
  skipLogging(commit, event.at)
  insertEvent(commit, ownerNo, id, stored)
  return ADDED
}

/** Has a log say that events have been removed, as the other store's log does. */
export function importRemoval(commit: Commit, owner: string, idText: string): ImportOutcome {
  const id = Buffer.from(idText, 'hex')
  const known = ownerNoOf(commit, owner)
  if (known !== undefined) {
    const { ownerEvents } = commit.tables
    const key = under(known, id)
    // The event itself is kept here, so nothing is missing behind it.
    if (isRemoved(commit, known, id) || ownerEvents.doesExist(key)) return KNOWN
    if (firstKey(ownerEvents, under(known, FIRST_ID), key) !== undefined) {
      return refused('its owner has earlier events here')
    }
  }
  beginBehind(commit, known ?? internOwner(commit, owner), id)
  return ADDED
}

function isRemoved({ tables }: Commit, ownerNo: OwnerNo, id: Buffer): boolean {
  const removed = removedTo(tables.ownerEvents, ownerNo)
  return removed !== undefined && Buffer.compare(id, removed) <= 0
}

/** What is stored of an event, or why it is refused, as text. */
function storedEvent(commit: Commit, { owner, event }: Told): Buffer | string {
  const { type, invoiceId, deposit, delivery } = event
  const row = invoiceId === null ? null : findInvoice(commit, invoiceId)
  if (row === undefined) return 'its invoice is not known: import invoices first'
  if (row !== null && row.invoice.owner !== owner) return 'its invoice is of another owner'
  switch (type) {
    case 'deposit.pending':
    case 'deposit.confirmed':
    case 'deposit.dropped':
      if (deposit === null || findDeposit(commit, deposit) === undefined) {
        return 'its deposit is not known: import deposits first'
      }
      return depositEvent(type, deposit, row?.id ?? null)
    case 'delivery.failed':
      if (delivery === null || row === null) return 'it tells of no webhook of an invoice'
      return deliveryEvent(delivery, row.invoice.id)
    default:
      return row === null ? 'it tells of no invoice' : invoiceEvent(type, row.id)
  }
}

function refused(error: string): ImportOutcome {
  return { status: 'refused', error }
}
