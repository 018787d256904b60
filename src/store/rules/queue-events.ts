import { type EventType, eventBody, NO_EVENT, type OwnerEvent } from '../../domain/event.js'
import { type NewDelivery, resolveCallback } from '../../domain/webhook.js'
import type { EventCursor, QueuedEvents, UnsentEvents } from '../event-outbox.js'
import type { Awaitable } from '../reading.js'
import { type Asking, ask } from './asking.js'

/*
 * The log of an owner is durable and in order, so what happens queues no delivery of an event: that follows from the log, a bounded
 * piece at a time, with a cursor for each owner who has chosen events.
 */

/** An event of a log, with what only its delivery needs. */
export interface LoggedEvent {
  readonly event: OwnerEvent
  /** The callback URL of the invoice itself. */
  readonly callbackUrl: string | null
}

/** A piece of the log of an owner. */
export interface LogPiece {
  /** Oldest first. */
  readonly events: readonly LoggedEvent[]
  /** The last event that was removed; null for none. */
  readonly removedTo: string | null
}

/** What an owner has configured about its events. */
export interface EventSettings {
  readonly callbackUrl: string | null
  /** Null for all. */
  readonly types: readonly EventType[] | null
}

/** What an engine does for the cursor of an owner, inside a transaction. */
export interface CursorWork {
  /** The cursor, which nobody else changes until the commit; undefined where no event is to be sent. */
  cursor(owner: string): Awaitable<EventCursor | undefined>
  putCursor(owner: string, cursor: EventCursor): void
  endCursor(owner: string): void
}

/** What an engine does to queue events as deliveries, inside a transaction. */
export interface EventQueueWork extends CursorWork {
  settings(owner: string): Awaitable<EventSettings>
  /** The next events behind one, of one moment with what says which have been removed. */
  log(owner: string, after: string, limit: number): Awaitable<LogPiece>
  owe(delivery: NewDelivery): void
}

/** Queues deliveries for the next events of an owner, at most `limit`, and moves the cursor behind them. */
export function* queueEvents(work: EventQueueWork, owner: string, limit: number): Asking<Omit<QueuedEvents, 'owed'>> {
  const cursor = yield* ask(work.cursor(owner))
  if (cursor === undefined) return { isMore: false, lost: null }
  const { events: found, removedTo } = yield* ask(work.log(owner, cursor.after, limit))
  const lost = lostTo(cursor, removedTo)
  const { until } = cursor
  const events = found.filter(({ event }) => until === null || event.id <= until)
  if (events.length > 0) {
    const settings = yield* ask(work.settings(owner))
    for (const one of events) {
      const delivery = deliveryOf(owner, one, settings)
      if (delivery !== null) work.owe(delivery)
    }
  }
  const after = events.at(-1)?.event.id ?? lost?.to ?? cursor.after
  const isAtEnd = events.length < found.length || found.length < limit
  if (until !== null && (isAtEnd || after >= until)) work.endCursor(owner)
  else if (after !== cursor.after) work.putCursor(owner, { after, until })
  return { isMore: !isAtEnd, lost }
}

/** Has an owner's events be sent from now on. Those of before a choice of another payload that still wait are sent, too. */
export function* followEvents(
  work: CursorWork,
  owner: string,
  lastEvent: () => Awaitable<string | null>,
): Asking<void> {
  const known = yield* ask(work.cursor(owner))
  const after = known?.after ?? (yield* ask(lastEvent())) ?? NO_EVENT
  work.putCursor(owner, { after, until: null })
}

/** Ends the sending of an owner's events with the last one of now: what it told has been told in no other form. */
export function* leaveEvents(work: CursorWork, owner: string, lastEvent: () => Awaitable<string | null>): Asking<void> {
  const known = yield* ask(work.cursor(owner))
  if (known === undefined) return
  const until = (yield* ask(lastEvent())) ?? NO_EVENT
  if (known.after >= until) work.endCursor(owner)
  else work.putCursor(owner, { after: known.after, until })
}

/** Passes over an event of another store that was put into the log: imports owe no webhooks. `isNext`: nothing waits before it. */
export function passedOver(cursor: EventCursor, id: string, isNext: boolean): EventCursor | null {
  return isNext && cursor.after < id ? { ...cursor, after: id } : null
}

function lostTo({ after, until }: EventCursor, removedTo: string | null): UnsentEvents | null {
  if (removedTo === null || removedTo <= after) return null
  return { behind: after, to: until !== null && until < removedTo ? until : removedTo }
}

/**
 * The delivery of an event: to the callback URL of its invoice, else to the owner's default. Null where none resolves, where the
 * owner has not chosen the type, and for the failure of a delivery that told a failure itself, which could go on for ever.
 */
function deliveryOf(
  owner: string,
  { event, callbackUrl }: LoggedEvent,
  { callbackUrl: defaultUrl, types }: EventSettings,
): NewDelivery | null {
  const { id, type, invoiceId } = event
  if (types !== null && !types.includes(type)) return null
  if (event.delivery?.event?.type === 'delivery.failed') return null
  const url = resolveCallback(callbackUrl, defaultUrl)
  return url === null ? null : { owner, invoiceId, status: null, event: { id, type }, url, body: eventBody(event) }
}
