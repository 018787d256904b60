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

/** The answers to those events that are not applied, by their ids: an id cannot be kept, or was answered before. */
export async function earlierAnswers(
  work: Work,
  eventIds: readonly (string | null)[],
): Promise<Map<string, EarlierAnswer>> {
  const answers = new Map<string, EarlierAnswer>()
  const ids = eventIds.filter((id) => id !== null)
  const asked = ids.filter(isKept)
  for (const id of ids) {
    if (!isKept(id)) answers.set(id, { status: 'rejected', error: 'an event id must have 1 to 512 bytes' })
  }
  if (asked.length === 0) return answers
  const rows = await work.rows<{ id: string; error: string | null }>(
    sql`SELECT id, error FROM answered_events WHERE id = ANY(${asked}::text[])`,
  )
  for (const { id, error } of rows)
    answers.set(id, error === null ? { status: 'duplicate' } : { status: 'rejected', error })
  return answers
}

/** The answer to an event that comes again, from the answer to the first one. */
export function repetitionOf(outcome: EventOutcome): EarlierAnswer {
  return outcome.status === 'rejected' ? outcome : { status: 'duplicate' }
}

function isKept(eventId: string): boolean {
  const length = Buffer.byteLength(eventId)
  return length > 0 && length <= EVENT_ID_BYTES_MAX
}

/** An event, and the answer to it. */
export interface AnsweredEvent {
  readonly eventId: string | null
  readonly outcome: EventOutcome
}

/**
 * Remembers answers, after the clock was read. Two answers to one event at the same time are one too many: the later one is taken
 * back and finds the earlier one.
 */
export function rememberAnswers(work: Work, answered: readonly AnsweredEvent[]): void {
  const named = answered.filter(({ eventId }) => eventId !== null)
  if (named.length === 0) return
  const errors = named.map(({ outcome }) => (outcome.status === 'rejected' ? outcome.error : null))
  work.write(sql`
    INSERT INTO answered_events (id, at, error)
    SELECT id, ${work.nowMs}::bigint, error FROM unnest(${named.map(({ eventId }) => eventId)}::text[], ${errors}::text[])
      AS answered (id, error) ORDER BY id`)
}
