import type { Sighting } from '../../domain/deposit.js'
import type { DepositEventType, FailedDelivery, InvoiceEventType, OrderEventType } from '../../domain/event.js'
import type { ImportedEvent } from '../../domain/imported-event.js'
import type { ImportOutcome } from '../imports.js'
import type { Awaitable } from '../reading.js'
import { type Asking, ask } from './asking.js'
import { ADDED, KNOWN, type LogWork, refused, skipLogging } from './import-outcomes.js'
import { askBoth } from './together.js'

/*
 * Events of another store keep their ids, so that a reader of the other store goes on here with the same cursor. Events of this
 * store that came before an import stand behind the imported ones, as their times say.
 */

/** What an event says. `Named` is an invoice as the engine has it. */
export type ToldEvent<Named> =
  | { readonly type: InvoiceEventType; readonly invoice: Named }
  /** `invoice`: the one whose deposit brought it about. */
  | { readonly type: OrderEventType; readonly invoice: Named | null; readonly orderId: string }
  | {
      readonly type: DepositEventType
      readonly invoice: Named | null
      readonly deposit: Sighting
      readonly isLate: boolean
    }
  | { readonly type: 'delivery.failed'; readonly invoice: Named | null; readonly delivery: FailedDelivery }

/** What an engine does to import events, inside a transaction. Ids are 16 hex characters. */
export interface EventImportWork<Named, Stored> {
  /** The invoice that a client named. */
  invoice(id: string): Awaitable<{ readonly owner: string; readonly named: Named } | undefined>
  /** The owner of an order; undefined when it is not known. */
  ownerOfOrder(id: string): Awaitable<string | undefined>
  hasDeposit(deposit: Sighting): Awaitable<boolean>
  /** Keeps others from the log of an owner until the commit; later events will be behind an id. Answers whether it was removed. */
  open(owner: string, id: string): Awaitable<boolean>
  stored(owner: string, id: string): Awaitable<Stored | undefined>
  /** Whether a stored event says the same as another. */
  says(stored: Stored, event: ToldEvent<Named>): boolean
  hasEarlier(owner: string, id: string): Awaitable<boolean>
  /** Has the reader of the log who has read all before an id go on behind it. */
  passOver(owner: string, id: string): void
  insert(owner: string, id: string, event: ToldEvent<Named>): void
  /** Has the log of an owner begin behind an id. No event stands before it. */
  beginBehind(owner: string, id: string): void
}

/** An event that was removed here counts as known. What it names must be there. */
export function* importEvent<Named, Stored>(
  events: EventImportWork<Named, Stored>,
  log: LogWork,
  record: Extract<ImportedEvent, { readonly type: 'event' }>,
): Asking<ImportOutcome> {
  const { owner, event } = record
  const { id } = event
  const told = yield* toldBy(events, record)
  if (typeof told === 'string') return refused(told)
  if (yield* ask(events.open(owner, id))) return KNOWN
  const stored = yield* ask(events.stored(owner, id))
  if (stored !== undefined) return events.says(stored, told) ? KNOWN : refused('another event has its id')
  events.passOver(owner, id)
  events.insert(owner, id, told)
  yield* skipLogging(log, event.at)
  return ADDED
}

/** Has a log say that events have been removed, as the other store's log does. */
export function* importRemoval<Named, Stored>(
  events: EventImportWork<Named, Stored>,
  owner: string,
  id: string,
): Asking<ImportOutcome> {
  if (yield* ask(events.open(owner, id))) return KNOWN
  const [stored, hasEarlier] = yield* askBoth(events.stored(owner, id), events.hasEarlier(owner, id))
  // The event itself is kept here, so nothing is missing behind it.
  if (stored !== undefined) return KNOWN
  if (hasEarlier) return refused('its owner has earlier events here')
  events.passOver(owner, id)
  events.beginBehind(owner, id)
  return ADDED
}

/** What an event says, or why it is refused, as text. */
function* toldBy<Named>(
  events: Pick<EventImportWork<Named, unknown>, 'invoice' | 'ownerOfOrder' | 'hasDeposit'>,
  { owner, event }: Extract<ImportedEvent, { readonly type: 'event' }>,
): Asking<ToldEvent<Named> | string> {
  const { type, invoiceId, deposit, delivery, late, orderId } = event
  const found = invoiceId === null ? null : yield* ask(events.invoice(invoiceId))
  if (found === undefined) return 'its invoice is not known: import invoices first'
  if (found !== null && found.owner !== owner) return 'its invoice is of another owner'
  const invoice = found?.named ?? null
  switch (type) {
    case 'deposit.pending':
    case 'deposit.confirmed':
    case 'deposit.dropped': {
      const isKnown = deposit !== null && (yield* ask(events.hasDeposit(deposit)))
      return isKnown
        ? { type, invoice, deposit, isLate: late === true }
        : 'its deposit is not known: import deposits first'
    }
    case 'delivery.failed':
      return delivery === null || (invoice === null && delivery.event === null)
        ? 'it tells of no webhook of an invoice'
        : { type, invoice, delivery }
    case 'order.created':
    case 'order.partly':
    case 'order.paid':
    case 'order.unpaid':
    case 'order.accepted':
    case 'order.expired':
    case 'order.voided':
    case 'order.overpaid': {
      const ofOrder = orderId === undefined ? undefined : yield* ask(events.ownerOfOrder(orderId))
      if (orderId === undefined || ofOrder === undefined) return 'its order is not known: import orders first'
      return ofOrder === owner ? { type, invoice, orderId } : 'its order is of another owner'
    }
    default:
      return invoice === null ? 'it tells of no invoice' : { type, invoice }
  }
}
