import type { EventOutcome } from '../../domain/ledger-fact.js'
import { timeKey, WIDE_BYTES } from './bytes.js'
import { NOTHING, type Tables } from './tables.js'

/** Longest event id, in UTF-8 bytes: what LMDB takes as a key. */
const EVENT_ID_BYTES_MAX = 512

/** What an event id is answered that was answered before: an effect never comes later than the first answer. */
export type EarlierAnswer = Exclude<EventOutcome, { readonly status: 'applied' }>

/**
 * Ids of the events that were answered, with what was answered. An event that comes again, late or replayed, is known by
 * its id: a repeated assignment must not undo a later one, and one that was rejected must not be applied by somebody who
 * saw it. A row holds when it was answered and, of a rejection, the error behind it.
 */
export class Events {
  constructor(private readonly tables: Tables) {}

  /** Why an id cannot be kept, in words; null when it can. */
  flawOf(eventId: string | null): string | null {
    if (eventId === null) return null
    const length = Buffer.byteLength(eventId)
    return length === 0 || length > EVENT_ID_BYTES_MAX ? 'an event id must have 1 to 512 bytes' : null
  }

  /** What the id is answered because it was answered before; null when it is new. */
  answerTo(eventId: string | null): EarlierAnswer | null {
    const row = eventId === null ? undefined : this.tables.events.get(Buffer.from(eventId))
    if (row === undefined) return null
    if (row.length === WIDE_BYTES) return { status: 'duplicate' }
    return { status: 'rejected', error: row.subarray(WIDE_BYTES).toString() }
  }

  remember(eventId: string | null, outcome: EventOutcome, nowMs: number): void {
    if (eventId === null) return
    const id = Buffer.from(eventId)
    const answeredAt = timeKey(nowMs)
    const error = outcome.status === 'rejected' ? Buffer.from(outcome.error) : NOTHING
    this.tables.events.putSync(id, Buffer.concat([answeredAt, error]))
    this.tables.eventTimes.putSync(Buffer.concat([answeredAt, id]), NOTHING)
  }

  /** Forgets ids that were answered before a time, the oldest first and at most `limit`. Answers how many. */
  removeBefore(timeMs: number, limit: number): number {
    const keys = [...this.tables.eventTimes.getKeys({ start: NOTHING, end: timeKey(timeMs), limit })]
    for (const key of keys) {
      this.tables.eventTimes.removeSync(key)
      this.tables.events.removeSync(Buffer.from(key.subarray(WIDE_BYTES)))
    }
    return keys.length
  }
}

/** Enters the ids of a store that has no list of them by time yet. */
export function listEventTimes({ events, eventTimes }: Tables): void {
  for (const { key, value } of events.getRange()) {
    eventTimes.putSync(Buffer.concat([value.subarray(0, WIDE_BYTES), key]), NOTHING)
  }
}
