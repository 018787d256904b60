import type { ImportedEvent } from '../../../domain/imported-event.js'
import type { ImportOutcome } from '../../store.js'
import { sql } from '../connection/sql.js'
import type { Work } from '../connection/work.js'
import { findDeposit } from '../deposits/deposit-rows.js'
import { internOwner } from '../identities.js'
import { isNamed } from '../invoices/invoice-rows.js'
import { deliveryData, depositData } from './event-data.js'
import { numberOf } from './event-port.js'
import { skipLogging } from './logged-since.js'

/*
 * Events of another store keep their ids, so that a reader of the other store goes on here with the same cursor. Events of this
 * store that came before an import stand behind the imported ones, as their times say.
 */

const ADDED: ImportOutcome = { status: 'added' }
const KNOWN: ImportOutcome = { status: 'known' }

type Told = Extract<ImportedEvent, { readonly type: 'event' }>

/** What is stored of an event. */
interface StoredEvent {
  readonly invoiceId: string | null
  readonly data: string | null
}

/** An event that was removed here counts as known. What it names must be there. */
export async function importEvent(work: Work, record: Told): Promise<ImportOutcome> {
  const { owner, event } = record
  const stored = await storedEvent(work, record)
  if (typeof stored === 'string') return refused(stored)
  const number = numberOf(event.id)
  internOwner(work, owner)
  const removedTo = await lockLog(work, owner, number)
  if (removedTo !== null && number <= removedTo) return KNOWN
  const known = await work.row<{ type: string; invoice_id: string | null; data: string | null }>(
    sql`SELECT type, invoice_id, data FROM owner_events WHERE owner = ${owner} AND number = ${number}::bigint`,
  )
  if (known !== undefined) {
    const isSame = known.type === event.type && known.invoice_id === stored.invoiceId && known.data === stored.data
    return isSame ? KNOWN : refused('another event has its id')
  }
  work.write(sql`
    INSERT INTO owner_events (owner, number, type, invoice_id, data)
    VALUES (${owner}, ${number}::bigint, ${event.type}, ${stored.invoiceId}::uuid, ${stored.data})`)
  await skipLogging(work, event.at)
  return ADDED
}

/** Has a log say that events have been removed, as the other store's log does. */
export async function importRemoval(work: Work, owner: string, id: string): Promise<ImportOutcome> {
  const number = numberOf(id)
  internOwner(work, owner)
  const removedTo = await lockLog(work, owner, number)
  const found = await work.row<{ is_here: boolean; has_earlier: boolean }>(sql`
    SELECT EXISTS (SELECT 1 FROM owner_events WHERE owner = ${owner} AND number = ${number}::bigint) AS is_here,
      EXISTS (SELECT 1 FROM owner_events WHERE owner = ${owner} AND number < ${number}::bigint) AS has_earlier`)
  // The event itself is kept here, so nothing is missing behind it.
  if ((removedTo !== null && number <= removedTo) || found?.is_here === true) return KNOWN
  if (found?.has_earlier === true) return refused('its owner has earlier events here')
  work.write(sql`UPDATE event_heads SET removed_to = ${number}::bigint WHERE owner = ${owner}`)
  return ADDED
}

/** Locks the log of an owner, whose later events will be behind `number`. Answers the last one that was removed. */
async function lockLog(work: Work, owner: string, number: bigint): Promise<bigint | null> {
  const [head] = await work.written<{ removed_to: bigint | null }>(sql`
    INSERT INTO event_heads AS h (owner, last) VALUES (${owner}, ${number}::bigint)
    ON CONFLICT (owner) DO UPDATE SET last = greatest(h.last, excluded.last) RETURNING removed_to::numeric`)
  return head?.removed_to ?? null
}

/** What is stored of an event, or why it is refused, as text. */
async function storedEvent(work: Work, { owner, event }: Told): Promise<StoredEvent | string> {
  const { type, invoiceId, deposit, delivery } = event
  const invoice =
    invoiceId === null
      ? null
      : await work.row<{ id: string; owner: string }>(
          sql`SELECT i.id, i.owner FROM invoices AS i WHERE ${isNamed(invoiceId) ?? sql`false`}`,
        )
  if (invoice === undefined) return 'its invoice is not known: import invoices first'
  if (invoice !== null && invoice.owner !== owner) return 'its invoice is of another owner'
  const id = invoice?.id ?? null
  switch (type) {
    case 'deposit.pending':
    case 'deposit.confirmed':
    case 'deposit.dropped':
      if (deposit === null || (await findDeposit(work, deposit)) === undefined) {
        return 'its deposit is not known: import deposits first'
      }
      return { invoiceId: id, data: depositData(deposit) }
    case 'delivery.failed':
      if (delivery === null || id === null) return 'it tells of no webhook of an invoice'
      return { invoiceId: id, data: deliveryData(delivery) }
    default:
      return id === null ? 'it tells of no invoice' : { invoiceId: id, data: null }
  }
}

function refused(error: string): ImportOutcome {
  return { status: 'refused', error }
}
