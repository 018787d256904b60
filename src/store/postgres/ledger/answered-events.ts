import type { EventOutcome } from '../../../domain/ledger-fact.js'
import { sql } from '../connection/sql.js'
import type { Work } from '../connection/work.js'

/*
 * The ids of the events that were answered, with their answers. An event that comes again, late or replayed, is known by its
 * id: a repeated assignment must not undo a later one, and a rejected event must not be applied when an observer replays it.
 */

/** Longest event id, in UTF-8 bytes. */
const EVENT_ID_BYTES_MAX = 512

/** The answer to an event that was answered before: an effect never comes later than the first answer. */
export type EarlierAnswer = Exclude<EventOutcome, { readonly status: 'applied' }>

/** The answer to an event that is not applied: its id cannot be kept, or was answered before. Null when it is new. */
export async function earlierAnswer(work: Work, eventId: string | null): Promise<EarlierAnswer | null> {
  if (eventId === null) return null
  const length = Buffer.byteLength(eventId)
  if (length === 0 || length > EVENT_ID_BYTES_MAX) {
    return { status: 'rejected', error: 'an event id must have 1 to 512 bytes' }
  }
  const row = await work.row<{ error: string | null }>(sql`SELECT error FROM answered_events WHERE id = ${eventId}`)
  if (row === undefined) return null
  return row.error === null ? { status: 'duplicate' } : { status: 'rejected', error: row.error }
}

/** Two answers to one event at the same time are one too many: the later one is taken back and finds the earlier one. */
export function rememberAnswer(work: Work, eventId: string | null, outcome: EventOutcome): void {
  if (eventId === null) return
  const error = outcome.status === 'rejected' ? outcome.error : null
  work.write(sql`INSERT INTO answered_events (id, at, error) VALUES (${eventId}, ${work.nowMs}::bigint, ${error})`)
}
