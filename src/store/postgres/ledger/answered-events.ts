import type { EventOutcome } from '../../../domain/ledger-fact.js'
import { type EarlierAnswer, keptAnswer, rejectionOfId, repeatedAnswer } from '../../rules/answered-events.js'
import { sql } from '../connection/sql.js'
import type { Work } from '../connection/work.js'

/** The answers to those events that are not applied, by their ids: an id cannot be kept, or was answered before. */
export async function earlierAnswers(
  work: Work,
  eventIds: readonly (string | null)[],
): Promise<Map<string, EarlierAnswer>> {
  const answers = new Map<string, EarlierAnswer>()
  const ids = eventIds.filter((id) => id !== null)
  for (const id of ids) {
    const rejection = rejectionOfId(id)
    if (rejection !== null) answers.set(id, rejection)
  }
  const asked = ids.filter((id) => !answers.has(id))
  if (asked.length === 0) return answers
  const rows = await work.rows<{ id: string; error: string | null }>(
    sql`SELECT id, error FROM answered_events WHERE id = ANY(${asked}::text[])`,
  )
  for (const { id, error } of rows) answers.set(id, repeatedAnswer(error))
  return answers
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
  const errors = named.map(({ outcome }) => keptAnswer(outcome))
  work.write(sql`
    INSERT INTO answered_events (id, at, error)
    SELECT id, ${work.nowMs}::bigint, error FROM unnest(${named.map(({ eventId }) => eventId)}::text[], ${errors}::text[])
      AS answered (id, error) ORDER BY id`)
}
