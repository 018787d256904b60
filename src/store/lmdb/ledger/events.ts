import type { EventOutcome } from '../../../domain/ledger-fact.js'
import type { Commit } from '../commit/commit-loop.js'
import { timeKey, WIDE_BYTES } from '../tables/keys.js'
import { NOTHING, removeKeys } from '../tables/tables.js'

/*
 * The ids of the events that were answered, with their answers. An event that comes again, late or replayed, is known by its
 * id: a repeated assignment must not undo a later one, and a rejected event must not be applied when an observer replays it.
 * A row holds when the event was answered and, for a rejection, the error.
 */

/** Longest event id, in UTF-8 bytes. */
const EVENT_ID_BYTES_MAX = 512

/** The answer to an event that was answered before: an effect never comes later than the first answer. */
export type EarlierAnswer = Exclude<EventOutcome, { readonly status: 'applied' }>

/** The answer to an event that is not applied: its id cannot be kept, or was answered before. Null when it is new. */
export function earlierAnswer({ tables }: Commit, eventId: string | null): EarlierAnswer | null {
  if (eventId === null) return null
  const id = Buffer.from(eventId)
  if (id.length === 0 || id.length > EVENT_ID_BYTES_MAX) {
    return { status: 'rejected', error: 'an event id must have 1 to 512 bytes' }
  }
  const row = tables.events.get(id)
  if (row === undefined) return null
  if (row.length === WIDE_BYTES) return { status: 'duplicate' }
  return { status: 'rejected', error: row.subarray(WIDE_BYTES).toString() }
}

export function rememberAnswer({ tables, nowMs }: Commit, eventId: string | null, outcome: EventOutcome): void {
  if (eventId === null) return
  const id = Buffer.from(eventId)
  const answeredAt = timeKey(nowMs)
  const error = outcome.status === 'rejected' ? Buffer.from(outcome.error) : NOTHING
  tables.events.putSync(id, Buffer.concat([answeredAt, error]))
  tables.eventTimes.putSync(Buffer.concat([answeredAt, id]), NOTHING)
}

/** Forgets ids that were answered before a time, the oldest first and at most `limit`. Answers how many. */
export function removeEventsBefore({ tables }: Commit, timeMs: number, limit: number): number {
  const keys = removeKeys(tables.eventTimes, { start: NOTHING, end: timeKey(timeMs), limit })
  for (const key of keys) tables.events.removeSync(Buffer.from(key.subarray(WIDE_BYTES)))
  return keys.length
}

/** Lists an id by its time, for a store that has no such list yet (data version 2). */
export function listEventTime({ tables }: Commit, key: Buffer, value: Buffer): void {
  tables.eventTimes.putSync(Buffer.concat([value.subarray(0, WIDE_BYTES), key]), NOTHING)
}
