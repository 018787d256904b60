import { WIDE_BYTES } from './bytes.js'
import type { Tables } from './tables.js'

/** Longest event id, in UTF-8 bytes: what LMDB takes as a key. */
const EVENT_ID_BYTES_MAX = 512

/**
 * Ids of events that were applied. An event that comes again, late or replayed, is known by its id: a repeated assignment
 * must not undo a later one.
 */
export class Events {
  constructor(private readonly tables: Tables) {}

  /** Why an id cannot be kept, in words; null when it can. */
  flawOf(eventId: string | null): string | null {
    if (eventId === null) return null
    const length = Buffer.byteLength(eventId)
    return length === 0 || length > EVENT_ID_BYTES_MAX ? 'an event id must have 1 to 512 bytes' : null
  }

  has(eventId: string | null): boolean {
    return eventId !== null && this.tables.events.doesExist(Buffer.from(eventId))
  }

  remember(eventId: string | null, nowMs: number): void {
    if (eventId === null) return
    const appliedAt = Buffer.alloc(WIDE_BYTES)
    appliedAt.writeUIntBE(nowMs, 0, WIDE_BYTES)
    this.tables.events.putSync(Buffer.from(eventId), appliedAt)
  }
}
