import type { EventOutcome } from '../../domain/ledger-fact.js'

/*
 * Events of the ledger gateway that were answered, by their ids. An event that comes again, late or replayed, is known by its id:
 * a repeated assignment must not undo a later one, and a rejected event must not be applied when an observer replays it.
 */

/** Longest event id, in UTF-8 bytes. */
const EVENT_ID_BYTES_MAX = 512

/** The answer to an event that was answered before: an effect never comes later than the first answer. */
export type EarlierAnswer = Exclude<EventOutcome, { readonly status: 'applied' }>

/** The answer to an event whose id cannot be kept; null where it can. */
export function rejectionOfId(eventId: string): EarlierAnswer | null {
  const length = Buffer.byteLength(eventId)
  if (length > 0 && length <= EVENT_ID_BYTES_MAX) return null
  return { status: 'rejected', error: 'an event id must have 1 to 512 bytes' }
}

/** What is kept of an answer: the error of a rejection, null for any other. */
export function keptAnswer(outcome: EventOutcome): string | null {
  return outcome.status === 'rejected' ? outcome.error : null
}

/** The answer to an event that comes again, from what is kept of the first answer. */
export function repeatedAnswer(kept: string | null): EarlierAnswer {
  return kept === null ? { status: 'duplicate' } : { status: 'rejected', error: kept }
}

/** The answer to an event that comes again, from the first answer. */
export function repetitionOf(outcome: EventOutcome): EarlierAnswer {
  return repeatedAnswer(keptAnswer(outcome))
}
