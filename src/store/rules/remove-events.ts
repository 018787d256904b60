import type { Awaitable } from '../reading.js'
import { type Asking, ask } from './asking.js'

/** The logs of owners in an engine, in an order of its own. */
export interface OldEvents<Owner> {
  /** The owner behind another one, or the first of all; null when there is none. */
  ownerBehind(owner: Owner | null): Awaitable<Owner | null>
  /** Removes the oldest events of an owner, at most `limit` of those that are old enough. Answers how many. */
  remove(owner: Owner, limit: number): Awaitable<number>
}

export interface EventRemoval<Owner> {
  readonly removed: number
  /** The last owner of whom nothing is left to remove, to go on behind; null to begin with the first one. */
  readonly doneTo: Owner | null
}

/** Owners without anything to remove who cost as much as a removal: they are looked up only. */
const OWNERS_PER_REMOVAL = 10

/**
 * Removes at most `limit` events, owner by owner and each owner's oldest first, and visits at most so many owners as cost no more.
 * Behind the last owner it starts over.
 */
export function* removeOldEvents<Owner>(
  logs: OldEvents<Owner>,
  behind: Owner | null,
  limit: number,
): Asking<EventRemoval<Owner>> {
  let removed = 0
  let doneTo = behind
  for (let left = limit; left >= 1; left -= 1 / OWNERS_PER_REMOVAL) {
    const owner = yield* ask(logs.ownerBehind(doneTo))
    if (owner === null) return { removed, doneTo: null }
    const gone = yield* ask(logs.remove(owner, Math.floor(left)))
    removed += gone
    left -= gone
    if (left >= 1) doneTo = owner
  }
  return { removed, doneTo }
}
