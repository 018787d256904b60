import type { EventOutcome } from '../../../domain/ledger-fact.js'
import { type EarlierAnswer, keptAnswer, rejectionOfId, repeatedAnswer } from '../../rules/answered-events.js'
import type { Commit } from '../commit/commit.js'
import { timeKey, WIDE_BYTES } from '../tables/keys.js'
import { NOTHING, removeKeys } from '../tables/tables.js'

/* Events that were answered, by their ids. A row holds when the event was answered and, for a rejection, the error. */

/** The answer to an event that is not applied: its id cannot be kept, or was answered before. Null when it is new. */
export function earlierAnswer({ tables }: Commit, eventId: string | null): EarlierAnswer | null {
  if (eventId === null) return null
  const rejection = rejectionOfId(eventId)
  if (rejection !== null) return rejection
  const row = tables.events.get(Buffer.from(eventId))
  if (row === undefined) return null
  return repeatedAnswer(row.length === WIDE_BYTES ? null : row.subarray(WIDE_BYTES).toString())
}

export function rememberAnswer({ tables, nowMs }: Commit, eventId: string | null, outcome: EventOutcome): void {
  if (eventId === null) return
  const id = Buffer.from(eventId)
  const answeredAt = timeKey(nowMs)
  const error = keptAnswer(outcome)
  tables.events.putSync(id, Buffer.concat([answeredAt, error === null ? NOTHING : Buffer.from(error)]))
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
